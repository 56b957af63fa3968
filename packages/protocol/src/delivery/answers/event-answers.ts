import { z } from 'zod';
import { jsonObject, time } from '../fields.ts';
import { EVENT_TARGETS, EVENT_TYPES } from '../vocabulary.ts';

const eventType = z.enum(EVENT_TYPES);

export const subscription = z.object({
  id: z.string(),
  subscriber_agent_id: z.string(),
  event_type: eventType,
  delivery_target: z.enum(EVENT_TARGETS),
  /** Scheme and host only, but for the answer that makes it. */
  webhook_url: z.string().nullable(),
  webhook_secret: z.string().nullable(),
  inline_body: z.boolean(),
  last_dispatched_event_id: z.int().nullable(),
  last_dispatched_at: time.nullable(),
  last_acked_event_id: z.int().nullable(),
  consecutive_failures: z.int(),
  paused_until: time.nullable(),
  created_at: time,
  detached_at: time.nullable(),
  warning: z.string().optional(),
});
export const subscriptions = z.object({ subscriptions: z.array(subscription), total: z.int() });
export const acked = z.object({ acked: z.literal(true) });
export const detached = z.object({ detached: z.literal(true) });

export const event = z.object({
  id: z.int(),
  event_type: eventType,
  recipient_agent_id: z.string(),
  payload: jsonObject,
  emitted_at: time,
});
export const events = z.object({
  events: z.array(event),
  next_cursor: z.int().nullable(),
  has_more: z.boolean(),
});
