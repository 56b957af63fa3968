import { z } from 'zod';
import {
  decimal,
  NOT_TEXT,
  RULE,
  ruledText,
  ruledTexts,
  text,
  textOf,
  textOrOther,
  whole,
} from './fields.ts';
import {
  AVOID,
  CANONICAL_SOURCES_ITEMS,
  CONFLICT_SUMMARY_CHARS,
  EARLY_LOAD_ITEMS,
  EVIDENCE_REFS,
  HEALTH_REASONS,
  IDENTITY_ANCHORS,
  INPUTS,
  KEYWORDS,
  LABEL_CHARS,
  LOAD_NEXT_ITEMS,
  METADATA_KEYS,
  MUST_INCLUDE,
  NEGATIVE_DECISIONS,
  PREFERRED_STYLE,
  PRESENCE_BIAS,
  PRODUCER_CHARS,
  RATIONALE_ENTRIES,
  RELATED_DOCUMENTS,
  SCOPE_ANCHORS,
  SENSITIVITY_NOTES,
  STABLE_PREFERENCES,
  STALE_AFTER_SECONDS,
  STANCE_CHARS,
  STATE_LISTS,
  type StateList,
  SUBJECT_ID_CHARS,
} from './limits.ts';
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

/*
 * The capsule as it travels. The schema knows types, required fields and the bounds that are refused with 422; lengths
 * of list items and everything that looks at more than one field is refused with 400 by the rules, in a fixed order.
 * The order of keys is the order in which answers show them.
 */

export const subjectKind = z.enum(SUBJECT_KINDS);
export const subjectId = textOf(SUBJECT_ID_CHARS, 1);

const entryTimes = {
  created_at: text().nullish(),
  updated_at: text().nullish(),
  last_confirmed_at: text().nullish(),
};

export const negativeDecision = z.strictObject({
  decision: ruledText(NEGATIVE_DECISIONS.decision, 1),
  rationale: ruledText(NEGATIVE_DECISIONS.rationale, 1),
  ...entryTimes,
});

export const rationaleEntry = z.strictObject({
  tag: textOf(RATIONALE_ENTRIES.tag, 1),
  kind: z.enum(RATIONALE_KINDS),
  status: z.enum(RATIONALE_STATUSES),
  summary: textOf(RATIONALE_ENTRIES.summary),
  reasoning: textOf(RATIONALE_ENTRIES.reasoning),
  alternatives_considered: ruledTexts(RATIONALE_ENTRIES.alternatives, 1).default([]),
  depends_on: ruledTexts(RATIONALE_ENTRIES.dependsOn, 1).default([]),
  supersedes: textOf(RATIONALE_ENTRIES.supersedes).nullish(),
  ...entryTimes,
});

export const stablePreference = z.strictObject({
  tag: textOf(STABLE_PREFERENCES.tag, 1),
  content: textOf(STABLE_PREFERENCES.content, 1),
  ...entryTimes,
});

const ruled = (most: number) => ({ type: 'string', minLength: 1, maxLength: most, [RULE]: 400 });

/** Told to readers of the schema; the rules look closer, and report in an order of their own. */
const relatedDocumentsForm = {
  type: 'array',
  maxItems: RELATED_DOCUMENTS.items,
  [RULE]: 400,
  items: {
    type: 'object',
    required: ['path', 'kind', 'label'],
    additionalProperties: false,
    properties: {
      path: ruled(RELATED_DOCUMENTS.path),
      kind: ruled(RELATED_DOCUMENTS.kind),
      label: ruled(RELATED_DOCUMENTS.label),
      relevance: { type: 'string', enum: [...RELEVANCES] },
    },
  },
};

const stateList = (name: StateList) => ruledTexts(STATE_LISTS[name], STATE_LISTS[name].least);
const optionalStateList = (name: StateList) => stateList(name).default([]);

export const negativeDecisions = z.array(negativeDecision).max(NEGATIVE_DECISIONS.items);
export const rationaleEntries = z.array(rationaleEntry).max(RATIONALE_ENTRIES.items);

const continuityState = z.object({
  top_priorities: stateList('top_priorities'),
  active_concerns: stateList('active_concerns'),
  active_constraints: stateList('active_constraints'),
  open_loops: stateList('open_loops'),
  stance_summary: textOf(STANCE_CHARS),
  drift_signals: stateList('drift_signals'),
  working_hypotheses: optionalStateList('working_hypotheses'),
  long_horizon_commitments: optionalStateList('long_horizon_commitments'),
  session_trajectory: optionalStateList('session_trajectory'),
  negative_decisions: negativeDecisions.default([]),
  trailing_notes: optionalStateList('trailing_notes'),
  curiosity_queue: optionalStateList('curiosity_queue'),
  rationale_entries: rationaleEntries.default([]),
  /** Pointers to documents; every fault of it is told by a rule. */
  related_documents: z.unknown().meta(relatedDocumentsForm).optional(),
  relationship_model: z
    .object({
      trust_level: z.enum(TRUST_LEVELS).nullish(),
      preferred_style: ruledTexts(PREFERRED_STYLE).default([]),
      sensitivity_notes: ruledTexts(SENSITIVITY_NOTES).default([]),
    })
    .nullish(),
  retrieval_hints: z
    .object({
      must_include: ruledTexts(MUST_INCLUDE).default([]),
      avoid: ruledTexts(AVOID).default([]),
      load_next: z.array(text()).max(LOAD_NEXT_ITEMS).default([]),
    })
    .nullish(),
});

export const threadDescriptor = z.object({
  label: textOf(LABEL_CHARS, 1),
  keywords: z.array(ruledText(KEYWORDS.chars, 1)).max(KEYWORDS.items).default([]),
  scope_anchors: z.array(text()).max(SCOPE_ANCHORS.items).default([]),
  identity_anchors: z
    .array(z.object({ kind: textOf(IDENTITY_ANCHORS.kind, 1), value: textOf(IDENTITY_ANCHORS.value, 1) }))
    .max(IDENTITY_ANCHORS.items)
    .default([]),
  lifecycle: z.enum(LIFECYCLES).nullish(),
  superseded_by: subjectId.nullish(),
});

const verificationState = z.object({
  status: z.enum(VERIFICATION_STATUSES),
  last_revalidated_at: text(),
  strongest_signal: z.enum(VERIFICATION_KINDS),
  evidence_refs: ruledTexts(EVIDENCE_REFS).default([]),
  conflict_summary: textOf(CONFLICT_SUMMARY_CHARS).nullish(),
});

const capsuleHealth = z.object({
  status: z.enum(HEALTH_STATUSES),
  reasons: ruledTexts(HEALTH_REASONS).default([]),
  last_checked_at: text(),
});

export const continuityCapsule = z.object({
  schema_version: z.enum(['1.0', '1.1']).default('1.1'),
  subject_kind: subjectKind,
  subject_id: subjectId,
  updated_at: text(),
  verified_at: text(),
  source: z.object({
    producer: textOf(PRODUCER_CHARS, 1),
    update_reason: z.enum(UPDATE_REASONS),
    inputs: ruledTexts(INPUTS).default([]),
  }),
  continuity: continuityState,
  confidence: z.object({ continuity: decimal(0, 1), relationship_model: decimal(0, 1) }),
  verification_kind: z.enum(VERIFICATION_KINDS).nullish(),
  attention_policy: z
    .object({
      early_load: z.array(text()).max(EARLY_LOAD_ITEMS).default([]),
      presence_bias_overrides: ruledTexts(PRESENCE_BIAS).default([]),
    })
    .nullish(),
  freshness: z
    .object({
      freshness_class: z.enum(FRESHNESS_CLASSES).nullish(),
      expires_at: text().nullish(),
      stale_after_seconds: whole(STALE_AFTER_SECONDS.min, STALE_AFTER_SECONDS.max).nullish(),
    })
    .nullish(),
  canonical_sources: z.array(text()).max(CANONICAL_SOURCES_ITEMS).default([]),
  metadata: z
    .record(text(), z.unknown().refine(textOrOther, NOT_TEXT))
    .default({})
    .meta({ maxProperties: METADATA_KEYS, [RULE]: 400 }),
  verification_state: verificationState.nullish(),
  capsule_health: capsuleHealth.nullish(),
  stable_preferences: z.array(stablePreference).max(STABLE_PREFERENCES.items).default([]),
  thread_descriptor: threadDescriptor.nullish(),
});

/** As a caller sends it, after the schema: optional objects may still be null. */
export type IncomingCapsule = z.output<typeof continuityCapsule>;

type WithoutNull<T> = T extends readonly (infer Item)[]
  ? WithoutNull<Item>[]
  : T extends object
    ? { [Key in keyof T]: WithoutNull<Exclude<T[Key], null>> }
    : T;

export interface RelatedDocument {
  path: string;
  kind: string;
  label: string;
  relevance?: (typeof RELEVANCES)[number];
}

export type MetadataValue = string | number | boolean | null;

/** As it is kept and answered: what is absent has no key, lists and maps are always there. */
export type ContinuityState = Omit<WithoutNull<IncomingCapsule['continuity']>, 'related_documents'> & {
  related_documents?: RelatedDocument[];
};
export type Capsule = Omit<WithoutNull<IncomingCapsule>, 'schema_version' | 'continuity' | 'metadata'> & {
  schema_version: '1.1';
  continuity: ContinuityState;
  metadata: Record<string, MetadataValue>;
};
export type NegativeDecision = WithoutNull<z.output<typeof negativeDecision>>;
export type RationaleEntry = WithoutNull<z.output<typeof rationaleEntry>>;
export type StablePreference = WithoutNull<z.output<typeof stablePreference>>;
export type ThreadDescriptor = WithoutNull<z.output<typeof threadDescriptor>>;
