import * as fc from 'fast-check';
import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import type { SentCapsule } from './base-capsule.ts';

/** Any characters at all. Short, so that a capsule of them stays below its limit. */
const text = (most: number, least = 0): fc.Arbitrary<string> =>
  fc.string({ unit: 'binary', minLength: least, maxLength: most });

/** Says something even when blanks are taken off its ends. */
const words = (most: number): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('a', 'b', 'c', '字', '😀'), text(most)).map((parts) => parts.join(''));

const texts = (items: number, most: number, least = 0) => fc.array(text(most, least), { maxLength: items });

/** Entries that are told apart by a text of theirs, blanks aside. */
const distinct = <Entry>(entry: fc.Arbitrary<Entry>, nameOf: (entry: Entry) => string, items: number) =>
  fc.uniqueArray(entry, { maxLength: items, selector: (each) => nameOf(each).trim() });

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const time = fc.constantFrom('2026-02-01T08:00:00Z', '2026-02-01 08:00+00:00', '2026-02-01T08:00:00.25Z');
const path = fc.constantFrom('memory/a.md', 'projects/x/y.md', './journal/d', 'memory/b/../c');

const rationale = fc.record(
  {
    tag: words(6),
    kind: fc.constantFrom('decision' as const, 'assumption' as const, 'tension' as const),
    status: fc.constantFrom('active' as const, 'superseded' as const, 'retired' as const),
    summary: text(12, 1),
    reasoning: text(12, 1),
    alternatives_considered: texts(3, 8, 1),
    depends_on: texts(3, 8, 1),
    last_confirmed_at: time,
  },
  { requiredKeys: ['tag', 'kind', 'status', 'summary', 'reasoning'] },
);

const decision = fc.record(
  { decision: words(8), rationale: words(8), last_confirmed_at: time },
  { requiredKeys: ['decision', 'rationale'] },
);

const preference = fc.record(
  { tag: words(6), content: words(12), last_confirmed_at: time },
  { requiredKeys: ['tag', 'content'] },
);

const state = fc.record(
  {
    top_priorities: texts(8, 10),
    active_concerns: texts(5, 10),
    active_constraints: texts(8, 10),
    open_loops: texts(8, 10),
    stance_summary: text(40),
    drift_signals: texts(5, 10),
    working_hypotheses: texts(5, 10),
    long_horizon_commitments: texts(5, 10),
    session_trajectory: texts(5, 10),
    negative_decisions: distinct(decision, (entry) => entry.decision, 4),
    trailing_notes: texts(3, 10, 1),
    curiosity_queue: texts(5, 10, 1),
    rationale_entries: distinct(rationale, (entry) => entry.tag, 6),
    related_documents: fc.uniqueArray(
      fc.record(
        {
          path: fc.constantFrom('a.md', 'docs/b.md'),
          kind: fc.constantFrom('note', 'design'),
          label: fc.constantFrom('A', 'B'),
          relevance: fc.constantFrom('primary' as const, 'background' as const),
        },
        { requiredKeys: ['path', 'kind', 'label'] },
      ),
      {
        maxLength: 4,
        selector: (entry) => JSON.stringify([entry.path, entry.kind, entry.label, entry.relevance]),
      },
    ),
    relationship_model: fc.record(
      {
        trust_level: fc.constantFrom('low' as const, 'high' as const),
        preferred_style: texts(5, 8),
        sensitivity_notes: texts(5, 8),
      },
      { requiredKeys: [] },
    ),
    retrieval_hints: fc.record(
      { must_include: texts(8, 8), avoid: texts(8, 8), load_next: fc.array(path, { maxLength: 3 }) },
      { requiredKeys: [] },
    ),
  },
  {
    requiredKeys: [
      'top_priorities',
      'active_concerns',
      'active_constraints',
      'open_loops',
      'stance_summary',
      'drift_signals',
    ],
  },
);

const descriptor = fc.record(
  {
    label: text(12, 1),
    keywords: fc.array(fc.constantFrom('Parser', ' parser', 'tree', 'ß', ''), { maxLength: 6 }),
    scope_anchors: fc.array(fc.constantFrom('user:stef', 'task:a.b'), { maxLength: 4 }),
    identity_anchors: fc.uniqueArray(
      fc.record({ kind: fc.constantFrom('repo', 'Issue '), value: words(6) }),
      { maxLength: 4, selector: ({ kind, value }) => `${kind}:${value.trim()}` },
    ),
  },
  { requiredKeys: ['label'] },
);

const scalar = fc.oneof(
  text(8),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

/** Anything a capsule of a subject may say, in every combination of its fields. */
export function anyCapsule(kind: SubjectKind, id: string, at: string): fc.Arbitrary<SentCapsule> {
  const personal = kind === 'user' || kind === 'peer';
  return fc
    .record({
      continuity: state,
      verified_at: time,
      producer: text(10, 1),
      inputs: maybe(texts(4, 10)),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      verification_kind: maybe(fc.constantFrom('self_review' as const, 'system_check' as const)),
      attention_policy: maybe(
        fc.record({ early_load: texts(4, 8), presence_bias_overrides: texts(5, 8) }, { requiredKeys: [] }),
      ),
      freshness: maybe(
        fc.record(
          {
            freshness_class: fc.constantFrom('persistent' as const, 'ephemeral' as const),
            expires_at: time,
            stale_after_seconds: fc.integer({ min: 300, max: 31_536_000 }),
          },
          { requiredKeys: [] },
        ),
      ),
      canonical_sources: maybe(fc.array(path, { maxLength: 4 })),
      metadata: maybe(fc.dictionary(text(6), scalar, { maxKeys: 6 })),
      stable_preferences: personal
        ? maybe(distinct(preference, (entry) => entry.tag, 6))
        : fc.constant(undefined),
      thread_descriptor: personal ? fc.constant(undefined) : maybe(descriptor),
    })
    .map(({ producer, inputs, confidence, ...rest }) => ({
      subject_kind: kind,
      subject_id: id,
      updated_at: at,
      source: { producer, update_reason: 'manual' as const, ...(inputs && { inputs }) },
      confidence: { continuity: confidence, relationship_model: 1 - confidence },
      ...withoutUndefined(rest),
    }));
}

/** JSON has no undefined, and `exactOptionalPropertyTypes` would not let it through. */
const withoutUndefined = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
