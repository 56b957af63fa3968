import { z } from 'zod';
import type { Capsule } from './capsule.ts';
import {
  FRESHNESS_CLASSES,
  HEALTH_STATUSES,
  LIFECYCLES,
  RATIONALE_KINDS,
  RATIONALE_STATUSES,
  RELEVANCES,
  SUBJECT_KINDS,
  TRUST_LEVELS,
  UPDATE_REASONS,
  VERIFICATION_KINDS,
  VERIFICATION_STATUSES,
} from './vocabulary.ts';

/* The capsule as it is answered: what is absent has no key, lists and maps are always there. */

const texts = z.array(z.string());
const entryTimes = {
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  last_confirmed_at: z.string().optional(),
};

const negativeDecision = z.object({ decision: z.string(), rationale: z.string(), ...entryTimes });

const rationaleEntry = z.object({
  tag: z.string(),
  kind: z.enum(RATIONALE_KINDS),
  status: z.enum(RATIONALE_STATUSES),
  summary: z.string(),
  reasoning: z.string(),
  alternatives_considered: texts,
  depends_on: texts,
  supersedes: z.string().optional(),
  ...entryTimes,
});

export const stablePreference = z.object({ tag: z.string(), content: z.string(), ...entryTimes });

const relatedDocument = z.object({
  path: z.string(),
  kind: z.string(),
  label: z.string(),
  relevance: z.enum(RELEVANCES).optional(),
});

export const continuityState = z.object({
  top_priorities: texts,
  active_concerns: texts,
  active_constraints: texts,
  open_loops: texts,
  stance_summary: z.string(),
  drift_signals: texts,
  working_hypotheses: texts,
  long_horizon_commitments: texts,
  session_trajectory: texts,
  negative_decisions: z.array(negativeDecision),
  trailing_notes: texts,
  curiosity_queue: texts,
  rationale_entries: z.array(rationaleEntry),
  related_documents: z.array(relatedDocument).optional(),
  relationship_model: z
    .object({
      trust_level: z.enum(TRUST_LEVELS).optional(),
      preferred_style: texts,
      sensitivity_notes: texts,
    })
    .optional(),
  retrieval_hints: z.object({ must_include: texts, avoid: texts, load_next: texts }).optional(),
});

export const threadDescriptor = z.object({
  label: z.string(),
  keywords: texts,
  scope_anchors: texts,
  identity_anchors: z.array(z.object({ kind: z.string(), value: z.string() })),
  lifecycle: z.enum(LIFECYCLES).optional(),
  superseded_by: z.string().optional(),
});

export const verificationState = z.object({
  status: z.enum(VERIFICATION_STATUSES),
  last_revalidated_at: z.string(),
  strongest_signal: z.enum(VERIFICATION_KINDS),
  evidence_refs: texts,
  conflict_summary: z.string().optional(),
});

export const capsuleHealth = z.object({
  status: z.enum(HEALTH_STATUSES),
  reasons: texts,
  last_checked_at: z.string(),
});

export const capsule = z.object({
  schema_version: z.literal('1.1'),
  subject_kind: z.enum(SUBJECT_KINDS),
  subject_id: z.string(),
  updated_at: z.string(),
  verified_at: z.string(),
  source: z.object({ producer: z.string(), update_reason: z.enum(UPDATE_REASONS), inputs: texts }),
  continuity: continuityState,
  confidence: z.object({ continuity: z.number(), relationship_model: z.number() }),
  verification_kind: z.enum(VERIFICATION_KINDS).optional(),
  attention_policy: z.object({ early_load: texts, presence_bias_overrides: texts }).optional(),
  freshness: z
    .object({
      freshness_class: z.enum(FRESHNESS_CLASSES).optional(),
      expires_at: z.string().optional(),
      stale_after_seconds: z.int().optional(),
    })
    .optional(),
  canonical_sources: texts,
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  verification_state: verificationState.optional(),
  capsule_health: capsuleHealth.optional(),
  stable_preferences: z.array(stablePreference),
  thread_descriptor: threadDescriptor.optional(),
}) satisfies z.ZodType<Capsule>;
