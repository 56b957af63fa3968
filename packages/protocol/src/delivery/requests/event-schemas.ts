import { z } from 'zod';
import { orElse, queryWhole } from '../fields.ts';
import { MAX_WEBHOOK_URL, PAGES } from '../limits.ts';

/** A cursor may be larger than any page. */
const cursor = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number);

/** What the two words mean is checked by the handler, which has an error of its own for each. */
export const subscriptionCreate = z.strictObject({
  event_type: z.string(),
  delivery_target: z.string(),
  webhook_url: z.string().max(MAX_WEBHOOK_URL).nullish(),
  inline_body: orElse(z.boolean(), false),
});

export const subscriptionAck = z.object({ acked_event_id: z.int().min(0) });

export const eventsQuery = z.object({
  since: cursor.default(0),
  limit: queryWhole(1, PAGES.events.max).default(PAGES.events.default),
  event_type: z.string().optional(),
  wait: z.literal('long', { error: 'must be long' }).optional(),
});
