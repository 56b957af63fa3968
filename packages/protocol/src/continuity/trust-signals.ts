import { z } from 'zod';
import { FRESHNESS_CLASSES, HEALTH_STATUSES, PHASES, VERIFICATION_STATUSES } from './vocabulary.ts';

/** What may be thought of a capsule: plain facts, no score. A null age is unknown, never zero. */
export const trustSignals = z.object({
  recency: z.object({
    updated_age_seconds: z.number().nullable(),
    verified_age_seconds: z.number().nullable(),
    phase: z.enum(PHASES),
    freshness_class: z.enum(FRESHNESS_CLASSES).nullable(),
    stale_threshold_seconds: z.number().nullable(),
  }),
  completeness: z.object({
    orientation_adequate: z.boolean(),
    empty_orientation_fields: z.array(z.string()),
    trimmed: z.boolean(),
    trimmed_fields: z.array(z.string()),
  }),
  integrity: z.object({
    source_state: z.enum(['active', 'fallback']),
    health_status: z.enum(HEALTH_STATUSES),
    health_reasons: z.array(z.string()),
    verification_status: z.enum(VERIFICATION_STATUSES),
  }),
  scope_match: z.object({ exact: z.boolean() }),
});
export type TrustSignals = z.output<typeof trustSignals>;
