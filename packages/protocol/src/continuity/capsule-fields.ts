import type { z } from 'zod';
import type {
  ContinuityState,
  continuityCapsule,
  negativeDecision,
  rationaleEntry,
  RelatedDocument,
  stablePreference,
  ThreadDescriptor,
} from './capsule.ts';
import {
  IDENTITY_ANCHORS,
  KEYWORDS,
  NEGATIVE_DECISIONS,
  RATIONALE_ENTRIES,
  SCOPE_ANCHORS,
  STABLE_PREFERENCES,
  STATE_LISTS,
  type StateList,
} from './limits.ts';

/*
 * Every field of a capsule, once, in the order answers show them and differences are told. The schema says what may stand
 * in a field; this says how those treat it who treat fields alike: the canonical form, merging, patches, comparing, search.
 */

export interface Field {
  /**
   * value    a word, a time, a number        values   a list of words
   * text     what somebody wrote             texts    a list of that
   * parts    an object with its own fields   entries  a list of such objects
   * float    a number with a fraction        map      anything under any key
   */
  readonly is: 'value' | 'values' | 'text' | 'texts' | 'float' | 'map' | 'parts' | 'entries';
  /** Of parts and entries. */
  readonly fields?: Fields;
  /** Of entries: what tells one from another. */
  readonly key?: readonly string[];
  /** Of lists a patch may append to. */
  readonly most?: number;
  /** The schema takes anything here: it is for the rules to look at. */
  readonly ruled?: true;
  /**
   * When an upsert that preserves takes the field from the stored capsule. What is kept when it is left out is given up
   * by a null: a list or map is empty then, parts are gone.
   */
  readonly kept?: 'if empty' | 'if left out';
}

export type Fields = Readonly<Record<string, Field>>;

/** The names of the fields of some kind. */
export type NamesOf<F extends Fields, Is extends Field['is']> = {
  [Name in keyof F & string]: F[Name] extends { readonly is: Is } ? Name : never;
}[keyof F & string];

const value = { is: 'value' } as const;
const values = { is: 'values' } as const;
const text = { is: 'text' } as const;
const texts = { is: 'texts' } as const;
const float = { is: 'float' } as const;
const parts = <F extends Fields>(fields: F) => ({ is: 'parts', fields }) as const;
const entries = <F extends Fields>(fields: F, key: readonly (keyof F & string)[], most?: number) =>
  ({ is: 'entries', fields, key, ...(most !== undefined && { most }) }) as const;
const keptIfLeftOut = <F extends Field>(field: F) => ({ ...field, kept: 'if left out' }) as const;
const required = (name: StateList) =>
  ({ ...texts, most: STATE_LISTS[name].items, kept: 'if empty' }) as const;
const optional = (name: StateList) => keptIfLeftOut({ ...texts, most: STATE_LISTS[name].items });

type Keys<Schema extends z.ZodType> = keyof z.output<Schema>;

/** Ours, whatever the author says of them. */
export const ENTRY_TIMES = { created_at: value, updated_at: value, last_confirmed_at: value };

const DECISION = { decision: text, rationale: text, ...ENTRY_TIMES } satisfies Record<
  Keys<typeof negativeDecision>,
  Field
>;
const RATIONALE = {
  tag: text,
  kind: value,
  status: value,
  summary: text,
  reasoning: text,
  alternatives_considered: texts,
  depends_on: texts,
  supersedes: value,
  ...ENTRY_TIMES,
} satisfies Record<Keys<typeof rationaleEntry>, Field>;
const PREFERENCE = { tag: text, content: text, ...ENTRY_TIMES } satisfies Record<
  Keys<typeof stablePreference>,
  Field
>;
const DOCUMENT = { path: value, kind: value, label: text, relevance: value } satisfies Record<
  keyof RelatedDocument,
  Field
>;

export const STATE_FIELDS = {
  top_priorities: required('top_priorities'),
  active_concerns: required('active_concerns'),
  active_constraints: required('active_constraints'),
  open_loops: required('open_loops'),
  stance_summary: text,
  drift_signals: required('drift_signals'),
  working_hypotheses: optional('working_hypotheses'),
  long_horizon_commitments: optional('long_horizon_commitments'),
  session_trajectory: optional('session_trajectory'),
  negative_decisions: keptIfLeftOut(entries(DECISION, ['decision'], NEGATIVE_DECISIONS.items)),
  trailing_notes: optional('trailing_notes'),
  curiosity_queue: optional('curiosity_queue'),
  rationale_entries: keptIfLeftOut(entries(RATIONALE, ['tag'], RATIONALE_ENTRIES.items)),
  related_documents: keptIfLeftOut({
    ...entries(DOCUMENT, ['path', 'kind', 'label', 'relevance']),
    ruled: true,
  }),
  relationship_model: keptIfLeftOut(
    parts({ trust_level: value, preferred_style: texts, sensitivity_notes: texts }),
  ),
  retrieval_hints: keptIfLeftOut(parts({ must_include: texts, avoid: texts, load_next: values })),
} satisfies Record<keyof ContinuityState, Field>;

export const DESCRIPTOR_FIELDS = {
  label: text,
  keywords: keptIfLeftOut({ ...texts, most: KEYWORDS.items }),
  scope_anchors: keptIfLeftOut({ ...texts, most: SCOPE_ANCHORS.items }),
  identity_anchors: keptIfLeftOut(
    entries({ kind: text, value: text }, ['kind', 'value'], IDENTITY_ANCHORS.items),
  ),
  lifecycle: value,
  superseded_by: value,
} satisfies Record<keyof ThreadDescriptor, Field>;

export const CAPSULE_FIELDS = {
  schema_version: value,
  subject_kind: value,
  subject_id: value,
  updated_at: value,
  verified_at: value,
  source: parts({ producer: text, update_reason: value, inputs: texts }),
  continuity: parts(STATE_FIELDS),
  confidence: parts({ continuity: float, relationship_model: float }),
  verification_kind: value,
  attention_policy: keptIfLeftOut(parts({ early_load: values, presence_bias_overrides: texts })),
  freshness: keptIfLeftOut(parts({ freshness_class: value, expires_at: value, stale_after_seconds: value })),
  canonical_sources: keptIfLeftOut(values),
  metadata: keptIfLeftOut({ is: 'map', ruled: true }),
  verification_state: parts({
    status: value,
    last_revalidated_at: value,
    strongest_signal: value,
    evidence_refs: values,
    conflict_summary: text,
  }),
  capsule_health: parts({ status: value, reasons: texts, last_checked_at: value }),
  stable_preferences: keptIfLeftOut(entries(PREFERENCE, ['tag'], STABLE_PREFERENCES.items)),
  thread_descriptor: keptIfLeftOut(parts(DESCRIPTOR_FIELDS)),
} satisfies Record<Keys<typeof continuityCapsule>, Field>;

function namesOf<F extends Fields, Is extends Field['is']>(fields: F, is: Is): NamesOf<F, Is>[] {
  const names = Object.keys(fields).filter((name) => fields[name]?.is === is);
  return names as NamesOf<F, Is>[];
}

/** The lists of plain texts, and of entries, that stand in the state. */
export const TEXT_LISTS = namesOf(STATE_FIELDS, 'texts');
export const DATED_LISTS = namesOf(STATE_FIELDS, 'entries').filter(
  (name) => 'created_at' in STATE_FIELDS[name].fields,
);

/** How an entry is named among the others of its list. */
export const entryKey = ({ key = [] }: Field, entry: Readonly<Record<string, unknown>>): string =>
  key.map((name) => String(entry[name])).join(':');
