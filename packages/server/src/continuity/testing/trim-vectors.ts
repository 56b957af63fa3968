import type { Capsule } from '@parley/protocol/continuity/capsule';
import { baseCapsule, stored } from './base-capsule.ts';

/** A small capsule with something in every section. */
export const vectorA: Capsule = {
  schema_version: '1.1',
  subject_kind: 'user',
  subject_id: 'trim',
  updated_at: '2026-03-20T12:00:00Z',
  verified_at: '2026-03-20T12:00:00Z',
  source: {
    producer: 'agent',
    update_reason: 'manual',
    inputs: [],
  },
  continuity: {
    top_priorities: ['Ship the parser', 'Keep tests green'],
    active_concerns: ['Flaky CI'],
    active_constraints: ['No new dependencies', 'Stay on Node 22'],
    open_loops: ['Answer the review', 'Measure memory'],
    stance_summary: 'Finish the parser before touching the printer; keep the diff small.',
    drift_signals: ['Scope creep toward the printer'],
    working_hypotheses: ['The leak is in the cache'],
    long_horizon_commitments: ['Document every public function'],
    session_trajectory: ['started at lexer', 'moved to parser'],
    negative_decisions: [
      {
        decision: 'Do not rewrite in Rust',
        rationale: 'Team has no Rust experience',
      },
    ],
    trailing_notes: ['CI runs nightly at two'],
    curiosity_queue: ['How do others trim capsules?'],
    rationale_entries: [
      {
        tag: 'parser-first',
        kind: 'decision',
        status: 'active',
        summary: 'Parser goes first',
        reasoning: 'Printer depends on the tree shape',
        alternatives_considered: [],
        depends_on: [],
      },
    ],
    related_documents: [
      {
        path: 'docs/parser.md',
        kind: 'design',
        label: 'Parser design',
      },
    ],
    relationship_model: {
      trust_level: 'high',
      preferred_style: ['short answers'],
      sensitivity_notes: ['dislikes jargon'],
    },
    retrieval_hints: {
      must_include: ['parser notes'],
      avoid: ['old printer notes'],
      load_next: ['memory/core/c.md'],
    },
  },
  confidence: {
    continuity: 0.9,
    relationship_model: 0.8,
  },
  attention_policy: {
    early_load: ['memory/core/a.md'],
    presence_bias_overrides: ["prefer the owner's latest note"],
  },
  freshness: {
    freshness_class: 'durable',
  },
  canonical_sources: ['memory/core/a.md', 'memory/core/b.md'],
  metadata: {
    project: 'apollo',
    count: 3,
  },
  stable_preferences: [
    {
      tag: 'timezone',
      content: 'UTC+2',
    },
    {
      tag: 'no_emojis',
      content: 'Do not use emojis',
    },
  ],
};

/** A letter, a number, and more of the letter: 98 characters. */
const items = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index}${letter.repeat(96)}`);

const base = baseCapsule('thread', 'long', '2026-03-20T12:00:00Z');

/** A capsule with long lists and nothing optional but what the second phase cuts. */
export const vectorB: Capsule = stored({
  ...base,
  source: { producer: 'agent', update_reason: 'manual' },
  confidence: { continuity: 0.9, relationship_model: 0.8 },
  continuity: {
    ...base.continuity,
    top_priorities: items('p', 8),
    active_concerns: items('c', 5),
    active_constraints: items('k', 8),
    open_loops: items('o', 8),
    drift_signals: items('d', 5),
    long_horizon_commitments: items('l', 5),
    retrieval_hints: { must_include: items('m', 8) },
    stance_summary: 's'.repeat(240),
    relationship_model: { trust_level: 'high' },
  },
});
