import { z } from 'zod';
import { instant, page, queryFlag } from '../fields.ts';
import { PAGES } from '../limits.ts';

/** The type is checked by the handler, which has an error of its own for unknown ones. */
export const alertsQuery = z.object({
  ...page(PAGES.alerts),
  alert_type: z.string().optional(),
  cue_id: z.string().max(128).optional(),
  acknowledged: queryFlag.optional(),
  since: instant.optional(),
});
