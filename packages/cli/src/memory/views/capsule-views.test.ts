import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { ReadAnswer } from '@parley/protocol/continuity/answers';
import type { TrustSignals } from '@parley/protocol/continuity/trust-signals';
import { expect, test } from 'vitest';
import { viewed } from '../../testing/tagged.ts';
import type { Page } from '../page.ts';
import { sectionsOf, showSection } from '../sections.ts';
import { warningsOf } from '../warnings.ts';
import { showTrust } from './trust-view.ts';

const shown = (view: (page: Page) => void): string[] => viewed(view).split('\n');

const GOOD: TrustSignals = {
  recency: {
    updated_age_seconds: 60,
    verified_age_seconds: 3600,
    phase: 'fresh',
    freshness_class: 'situational',
    stale_threshold_seconds: 86_400,
  },
  completeness: {
    orientation_adequate: true,
    empty_orientation_fields: [],
    trimmed: false,
    trimmed_fields: [],
  },
  integrity: {
    source_state: 'active',
    health_status: 'healthy',
    health_reasons: [],
    verification_status: 'peer_confirmed',
  },
  scope_match: { exact: true },
};

const BAD: TrustSignals = {
  recency: {
    updated_age_seconds: null,
    verified_age_seconds: 86_400 * 3,
    phase: 'stale_soft',
    freshness_class: null,
    stale_threshold_seconds: 86_400,
  },
  completeness: {
    ...GOOD.completeness,
    orientation_adequate: false,
    empty_orientation_fields: ['continuity.open_loops', 'stance_summary'],
  },
  integrity: {
    source_state: 'fallback',
    health_status: 'degraded',
    health_reasons: ['old', 'thin'],
    verification_status: 'conflicted',
  },
  scope_match: { exact: false },
};

const BARE: Capsule = {
  schema_version: '1.1',
  subject_kind: 'thread',
  subject_id: 'tides',
  updated_at: '2026-06-01T09:00:00Z',
  verified_at: '2026-06-01T09:00:00Z',
  source: { producer: 'ann', update_reason: 'manual', inputs: [] },
  continuity: {
    top_priorities: [],
    active_concerns: [],
    active_constraints: [],
    open_loops: [],
    stance_summary: '',
    drift_signals: [],
    working_hypotheses: [],
    long_horizon_commitments: [],
    session_trajectory: [],
    negative_decisions: [],
    trailing_notes: [],
    curiosity_queue: [],
    rationale_entries: [],
  },
  confidence: { continuity: 0.9, relationship_model: 0.5 },
  canonical_sources: [],
  metadata: {},
  stable_preferences: [],
};

const FULL: Capsule = {
  ...BARE,
  source: { producer: 'ann', update_reason: 'manual', inputs: ['log'] },
  freshness: { expires_at: '2026-07-01T00:00:00Z' },
  verification_state: {
    status: 'conflicted',
    last_revalidated_at: '2026-06-02T00:00:00Z',
    strongest_signal: 'peer_confirmation',
    evidence_refs: ['a.md', 'b.md'],
    conflict_summary: 'b says no',
  },
  continuity: {
    ...BARE.continuity,
    stance_summary: 'Six hours.',
    top_priorities: ['ship'],
    negative_decisions: [{ decision: 'no cron', rationale: 'too coarse' }],
    rationale_entries: [
      {
        tag: 'ttl',
        kind: 'decision',
        status: 'active',
        summary: 'six',
        reasoning: 'tides',
        alternatives_considered: ['one', 'two'],
        depends_on: ['zone'],
        supersedes: 'old',
      },
      {
        tag: 'old',
        kind: 'tension',
        status: 'superseded',
        summary: 'one',
        reasoning: 'guess',
        alternatives_considered: [],
        depends_on: [],
      },
    ],
    related_documents: [
      { path: 'a.md', kind: 'note', label: 'A' },
      { path: 'b.md', kind: 'note', label: 'B', relevance: 'primary' },
    ],
    relationship_model: { trust_level: 'high', preferred_style: ['dry'], sensitivity_notes: ['none'] },
    retrieval_hints: { must_include: ['x'], avoid: ['y'], load_next: ['z'] },
  },
  attention_policy: { early_load: ['e'], presence_bias_overrides: ['p'] },
  canonical_sources: ['c.md'],
  metadata: { n: 1, none: null },
  stable_preferences: [
    { tag: 'tone', content: 'dry', last_confirmed_at: '2026-06-01T00:00:00Z' },
    { tag: 'zone', content: 'UTC' },
  ],
  thread_descriptor: {
    label: 'Tides',
    keywords: ['sea', 'moon'],
    scope_anchors: ['s'],
    identity_anchors: [{ kind: 'repo', value: 'r' }],
  },
};

test('trust: a good capsule in green', () => {
  expect(shown((page) => showTrust(page, BARE, GOOD))).toEqual([
    '<bold>Trust</>',
    '<dim>  Recency       </><green>fresh: last verified 1 hour ago, good for 1 day (situational)</>',
    '<dim>  Verification  </><green>confirmed by a peer</>',
    '<dim>  Health        </><green>healthy</>',
    '<dim>  Completeness  </><green>enough to carry on from</>',
    '<dim>  Scope         </><green>exact: the active capsule of this subject</>',
    '<dim>  Confidence    </>0.9 in the continuity, 0.5 in the relationship, as its author says',
  ]);
});

test('trust: all that speaks against a capsule, with its evidence', () => {
  expect(shown((page) => showTrust(page, FULL, BAD)).slice(1, -1)).toEqual([
    '<dim>  Recency       </><yellow>a little stale: last verified 3 days ago, good for 1 day, expires 2026-07-01T00:00:00Z</>',
    '<dim>  Verification  </><red>conflicted: the evidence contradicts it; last looked at 2026-06-02T00:00:00Z; evidence: a.md, b.md; b says no</>',
    '<dim>  Health        </><yellow>degraded: old; thin</>',
    '<dim>  Completeness  </><yellow>too little to carry on from; empty or short: open loops, stance summary</>',
    '<dim>  Scope         </><yellow>not exact: the snapshot of the last write, not the active capsule</>',
  ]);
});

test('trust: what its author claims counts only while nobody has looked', () => {
  const claimed: Capsule = { ...BARE, verification_kind: 'user_confirmation' };
  const unknown: TrustSignals = {
    ...GOOD,
    recency: { ...GOOD.recency, verified_age_seconds: null, stale_threshold_seconds: null },
    integrity: { ...GOOD.integrity, verification_status: 'unverified' },
  };
  const verification = (capsule: Capsule): string[] =>
    shown((page) => showTrust(page, capsule, unknown)).slice(1, 3);
  expect(verification(claimed)).toEqual([
    '<dim>  Recency       </><green>fresh: last verified at an unknown time, does not go stale (situational)</>',
    '<dim>  Verification  </><yellow>unverified: nobody has confirmed it since it was written; its author claims user confirmation</>',
  ]);
  const state = { status: 'unverified', last_revalidated_at: 'June', strongest_signal: 'user_confirmation' };
  const seen = { ...claimed, verification_state: { ...state, evidence_refs: [] } } as Capsule;
  expect(verification(seen)[1]).toBe(
    '<dim>  Verification  </><yellow>unverified: nobody has confirmed it since it was written; last looked at June</>',
  );
  // Without signals there is only the author's word.
  expect(shown((page) => showTrust(page, BARE, null))).toHaveLength(2);
});

const warned = (trust: TrustSignals | null, codes: string[] = [], more: string[] = []): string[] => {
  const answer: Partial<ReadAnswer> = { recovery_warnings: codes, trust_signals: trust };
  return warningsOf(answer as ReadAnswer, more);
};

test('warnings: each once, in words, and then the doubts', () => {
  expect(warned(null, ['continuity_fallback_used', 'new_code:x'], ['continuity_fallback_used'])).toEqual([
    'This is the snapshot of the last write that succeeded.',
    'new_code:x',
  ]);
  expect(warned(null, ['continuity_capsule_superseded:thread:a$&', 'continuity_archived:a:b'])).toEqual([
    'Superseded: a$&',
    'It was archived: a:b',
  ]);
  expect(warned(GOOD)).toEqual([]);
  expect(warned(BAD)).toEqual([
    'It was verified 3 days ago and good for 1 day; check before you rely on it.',
    'Its health is degraded: old; thin',
    'The evidence contradicts it.',
    'It says too little to carry on from.',
  ]);
  const aged = (recency: Partial<TrustSignals['recency']>): string[] =>
    warned({ ...GOOD, recency: { ...GOOD.recency, phase: 'expired', ...recency } });
  expect(aged({})).toEqual(['It has expired; check before you rely on it.']);
  expect(aged({ verified_age_seconds: null })).toEqual(['It has never been verified at a known time.']);
  expect(aged({ phase: 'expired_by_age', stale_threshold_seconds: null })).toEqual([
    'It was verified 1 hour ago and good for 0 seconds; check before you rely on it.',
  ]);
});

const all = (capsule: Capsule): string[] =>
  sectionsOf(capsule).flatMap(({ name, entries }) => {
    const lines = entries.map(({ text, notes = [] }) => [text, ...notes].join(' | '));
    return lines.length === 0 ? [] : [`${name}: ${lines.join(' / ')}`];
  });

test('sections: everything an author wrote, with what belongs to it; an empty one says so', () => {
  expect(all(BARE)).toEqual([]);
  expect(all(FULL)).toEqual([
    'stance_summary: Six hours.',
    'top_priorities: ship',
    'negative_decisions: no cron | because too coarse',
    'rationale_entries: ttl (decision): six | because tides | instead of: one; two | depends on: zone | supersedes old' +
      ' / old (superseded tension): one | because guess',
    'stable_preferences: tone: dry | confirmed 2026-06-01T00:00:00Z / zone: UTC',
    'thread_descriptor: keywords: sea; moon / scope: s / anchors: repo:r',
    'relationship_model: trust: high / preferred style: dry / sensitive: none',
    'retrieval_hints: must include: x / avoid: y / load next: z',
    'attention_policy: load early: e / overrides: p',
    'related_documents: A (note) | a.md / B (primary note) | b.md',
    'canonical_sources: c.md',
    'metadata: n: 1 / none: null',
    'source_inputs: log',
  ]);
  const [stance, priorities] = sectionsOf(FULL);
  const [empty] = sectionsOf(BARE);
  expect(
    shown((page) => [stance, priorities, empty].forEach((each) => each && showSection(page, each))),
  ).toEqual([
    '<bold>Stance summary</>',
    '  Six hours.',
    '',
    '<bold>Top priorities</>',
    '  - ship',
    '',
    '<bold>Stance summary</>',
    '<dim>  nothing</>',
  ]);
});
