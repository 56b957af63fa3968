import { z } from 'zod';
import type { Capsule } from './capsule.ts';
import {
  CAPSULE_FIELDS,
  DESCRIPTOR_FIELDS,
  type Field,
  type Fields,
  STATE_FIELDS,
} from './capsule-fields.ts';
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

type Shape<F extends Fields, Own> = {
  [Name in keyof F]: Name extends keyof Own
    ? Own[Name]
    : F[Name]['is'] extends 'texts' | 'values'
      ? typeof texts
      : z.ZodString;
};

const plain = ({ is }: Field) => (is === 'texts' || is === 'values' ? texts : z.string());

/** All fields in their order, each a text or a list of texts where nothing else is said of it. */
function answered<F extends Fields, Own extends { readonly [Name in keyof F]?: z.ZodType }>(
  fields: F,
  own: Own,
) {
  const shape = Object.entries(fields).map(([name, field]) => [name, own[name] ?? plain(field)]);
  return z.object(Object.fromEntries(shape) as Shape<F, Own>);
}

const maybe = z.string().optional();
const entryTimes = { created_at: maybe, updated_at: maybe, last_confirmed_at: maybe };

const { negative_decisions, rationale_entries, related_documents, relationship_model, retrieval_hints } =
  STATE_FIELDS;

export const stablePreference = answered(CAPSULE_FIELDS.stable_preferences.fields, entryTimes);

export const continuityState = answered(STATE_FIELDS, {
  negative_decisions: z.array(answered(negative_decisions.fields, entryTimes)),
  rationale_entries: z.array(
    answered(rationale_entries.fields, {
      kind: z.enum(RATIONALE_KINDS),
      status: z.enum(RATIONALE_STATUSES),
      supersedes: maybe,
      ...entryTimes,
    }),
  ),
  related_documents: z
    .array(answered(related_documents.fields, { relevance: z.enum(RELEVANCES).optional() }))
    .optional(),
  relationship_model: answered(relationship_model.fields, {
    trust_level: z.enum(TRUST_LEVELS).optional(),
  }).optional(),
  retrieval_hints: answered(retrieval_hints.fields, {}).optional(),
});

export const threadDescriptor = answered(DESCRIPTOR_FIELDS, {
  identity_anchors: z.array(answered(DESCRIPTOR_FIELDS.identity_anchors.fields, {})),
  lifecycle: z.enum(LIFECYCLES).optional(),
  superseded_by: maybe,
});

export const verificationState = answered(CAPSULE_FIELDS.verification_state.fields, {
  status: z.enum(VERIFICATION_STATUSES),
  strongest_signal: z.enum(VERIFICATION_KINDS),
  conflict_summary: maybe,
});

export const capsuleHealth = answered(CAPSULE_FIELDS.capsule_health.fields, {
  status: z.enum(HEALTH_STATUSES),
});

export const capsule = answered(CAPSULE_FIELDS, {
  schema_version: z.literal('1.1'),
  subject_kind: z.enum(SUBJECT_KINDS),
  source: answered(CAPSULE_FIELDS.source.fields, { update_reason: z.enum(UPDATE_REASONS) }),
  continuity: continuityState,
  confidence: z.object({ continuity: z.number(), relationship_model: z.number() }),
  verification_kind: z.enum(VERIFICATION_KINDS).optional(),
  attention_policy: answered(CAPSULE_FIELDS.attention_policy.fields, {}).optional(),
  freshness: answered(CAPSULE_FIELDS.freshness.fields, {
    freshness_class: z.enum(FRESHNESS_CLASSES).optional(),
    expires_at: maybe,
    stale_after_seconds: z.int().optional(),
  }).optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  verification_state: verificationState.optional(),
  capsule_health: capsuleHealth.optional(),
  stable_preferences: z.array(stablePreference),
  thread_descriptor: threadDescriptor.optional(),
}) satisfies z.ZodType<Capsule>;
