import { describe, expect, test } from 'vitest';
import { openStub, parseStub, stubText } from './cold-stub.ts';
import { baseCapsule, stored, T } from '../testing/base-capsule.ts';

const ARCHIVE = 'memory/continuity/archive/user-a-20260401T120000Z.json';
const PAYLOAD = 'memory/continuity/cold/user-a-20260401T120000Z.json.gz';
const NOW = Date.UTC(2026, 3, 1, 12);
const many = (word: string) => ['1', '2', '3', '4', '5'].map((number) => `${word} ${number}`);
const entry = { kind: 'decision', status: 'active', reasoning: 'r' } as const;

const stubOf = (sent: ReturnType<typeof baseCapsule>) =>
  stubText({
    capsule: stored(sent),
    path: ARCHIVE,
    archivedAt: '2026-04-01T12:00:00Z',
    coldStoredAt: '2026-04-01T12:00:01Z',
    now: NOW,
  });

describe('continuity › cold stub', () => {
  test('says what is needed to know whether to unpack', () => {
    const capsule = baseCapsule('user', 'a', T(1), {
      verification_kind: 'self_review',
      freshness: { freshness_class: 'durable' },
      continuity: {
        top_priorities: ['p'.repeat(160), ...many('priority')],
        active_constraints: [],
        active_concerns: many('concern'),
        open_loops: ['two\nlines', 'loop'],
        stance_summary: `stance\r\n${'s'.repeat(230)}`,
        drift_signals: many('drift'),
        session_trajectory: many('turn'),
        trailing_notes: many('note').slice(0, 3),
        curiosity_queue: many('question'),
        negative_decisions: many('no')
          .map((decision) => ({ decision, rationale: 'y'.repeat(160) }))
          .slice(0, 3),
        rationale_entries: [
          { ...entry, tag: 'gone', summary: 'not shown', status: 'retired' },
          { ...entry, tag: 'long', summary: '😀'.repeat(200) },
          { ...entry, tag: 'b', summary: 'second', kind: 'tension' },
          { ...entry, tag: 'c', summary: 'third' },
          { ...entry, tag: 'd', summary: 'one too many' },
        ],
      },
    });
    expect(stubOf(capsule)).toBe(
      `---
type: continuity_cold_stub
schema_version: "1.1"
artifact_state: cold
subject_kind: user
subject_id: a
source_archive_path: ${ARCHIVE}
cold_storage_path: ${PAYLOAD}
archived_at: 2026-04-01T12:00:00Z
cold_stored_at: 2026-04-01T12:00:01Z
verification_kind: self_review
verification_status: unverified
health_status: healthy
freshness_class: durable
phase: fresh
update_reason: manual
---
## top_priorities
- ${'p'.repeat(160)}
- priority 1
- priority 2
## active_constraints

## active_concerns
- concern 1
- concern 2
- concern 3
## open_loops
- two lines
- loop
## stance_summary
stance ${'s'.repeat(230)}
## drift_signals
- drift 1
- drift 2
- drift 3
- drift 4
- drift 5
## session_trajectory
- turn 1
- turn 2
- turn 3
## trailing_notes
- note 1
- note 2
- note 3
## curiosity_queue
- question 1
- question 2
- question 3
## negative_decisions
- decision: no 1 | rationale: ${'y'.repeat(160 - 'decision: no 1 | rationale: '.length)}
- decision: no 2 | rationale: ${'y'.repeat(160 - 'decision: no 2 | rationale: '.length)}
## rationale_entries
- [decision] long: ${'😀'.repeat(160)}
- [tension] b: second
- [decision] c: third
`,
    );
  });

  test('what is not known is empty, and no value breaks its line', () => {
    const stub = stubOf(baseCapsule('user', ' A\r\n---\nb ', T(1), { verified_at: '2020-01-01T00:00:00Z' }));
    const values = parseStub(stub);
    if (typeof values === 'string') throw new Error(values);
    expect([
      values.get('subject_id'),
      values.get('verification_kind'),
      values.get('freshness_class'),
    ]).toEqual([' A --- b ', '', '']);
    expect([values.get('phase'), values.size]).toEqual(['expired_by_age', 15]);
    expect(stub).toMatch(/^freshness_class: $/m);
    expect(openStub(stub, ARCHIVE)).toBe('Continuity cold stub subject does not match its name');
  });
});
