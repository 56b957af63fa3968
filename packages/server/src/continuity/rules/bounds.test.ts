import { historyRequest } from '@parley/protocol/continuity/beyond-requests';
import * as requests from '@parley/protocol/continuity/requests';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { type Memory, type SchemaDetail, startMemory } from '../testing/memory.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { type Bound, CAPSULE_BOUNDS, capsuleWith, requestBounds, valueOf } from '../testing/schema-bounds.ts';

const nameOf = ({ path, kind }: Bound): string => `${path.join('.').replaceAll('.[]', '[]')} ${kind}`;

/** Ids, paths and names have an alphabet of their own. */
const LATIN_ONLY = /^(subject_id|.*(related_documents\[\]\.(path|kind)|identity_anchors\[\]\.kind)) /;

test('the published schema states the documented bounds', () => {
  const stated = Object.fromEntries(
    CAPSULE_BOUNDS.map((bound) => [nameOf(bound), [bound.most, bound.status]]),
  );
  expect(stated).toMatchObject({
    'subject_id length': [200, 422],
    'source.producer length': [100, 422],
    'source.inputs items': [12, 422],
    'source.inputs[] length': [200, 400],
    'continuity.top_priorities items': [8, 422],
    'continuity.top_priorities[] length': [160, 400],
    'continuity.active_concerns items': [5, 422],
    'continuity.stance_summary length': [240, 422],
    'continuity.session_trajectory[] length': [80, 400],
    'continuity.trailing_notes items': [3, 422],
    'continuity.curiosity_queue[] length': [120, 400],
    'continuity.negative_decisions items': [4, 422],
    'continuity.negative_decisions[].decision length': [160, 400],
    'continuity.negative_decisions[].rationale length': [240, 400],
    'continuity.rationale_entries items': [6, 422],
    'continuity.rationale_entries[].tag length': [80, 422],
    'continuity.rationale_entries[].summary length': [320, 422],
    'continuity.rationale_entries[].reasoning length': [560, 422],
    'continuity.rationale_entries[].alternatives_considered[] length': [160, 400],
    'continuity.rationale_entries[].depends_on[] length': [120, 400],
    'continuity.rationale_entries[].supersedes length': [80, 422],
    'continuity.related_documents items': [8, 400],
    'continuity.related_documents[].path length': [240, 400],
    'continuity.relationship_model.preferred_style[] length': [80, 400],
    'continuity.retrieval_hints.must_include items': [8, 422],
    'confidence.continuity number': [1, 422],
    'freshness.stale_after_seconds number': [31_536_000, 422],
    'metadata keys': [12, 400],
    'verification_state.evidence_refs[] length': [200, 400],
    'verification_state.conflict_summary length': [240, 422],
    'capsule_health.reasons[] length': [120, 400],
    'stable_preferences items': [12, 422],
    'stable_preferences[].content length': [240, 422],
    'thread_descriptor.label length': [120, 422],
    'thread_descriptor.keywords[] length': [40, 400],
    'thread_descriptor.identity_anchors[].value length': [200, 422],
  });
  expect(CAPSULE_BOUNDS.length).toBeGreaterThan(60);
});

const subject = { subject_kind: 'user', subject_id: 'asked' };
const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'x' }];
const session_end_snapshot = {
  open_loops: ['answer review'],
  top_priorities: ['finish parser'],
  active_constraints: ['no new dependencies'],
  stance_summary: 'Hold the parser work steady and finish the review before new scope.',
};
const candidate = baseCapsule('user', 'asked');
const reason = { 'subject_id length': [1, 200], 'reason length': [3, 240] };
const signalled = {
  'subject_id length': [1, 200],
  'signals items': [1, 8],
  'signals[].source_ref length': [1, 200],
  'signals[].summary length': [1, 240],
};

/** Each operation with a body that is well formed, and the bounds documented for it. */
const REQUESTS = [
  [
    'upsert',
    requests.upsertRequest,
    { ...subject, capsule: candidate, session_end_snapshot, dry_run: true },
    {
      'subject_id length': [1, 200],
      'commit_message length': [0, 240],
      'idempotency_key length': [0, 200],
      'superseded_by length': [1, 200],
      'session_end_snapshot.open_loops items': [0, 8],
      'session_end_snapshot.open_loops[] length': [0, 160],
      'session_end_snapshot.stance_summary length': [0, 240],
      'session_end_snapshot.negative_decisions items': [0, 4],
      'session_end_snapshot.rationale_entries items': [0, 6],
    },
  ],
  [
    'patch',
    requests.patchRequest,
    { ...subject, updated_at: T(2), operations, dry_run: true },
    { 'subject_id length': [1, 200], 'operations items': [1, 10], 'commit_message length': [0, 240] },
  ],
  [
    'lifecycle',
    requests.lifecycleRequest,
    { subject_kind: 'thread', subject_id: 'asked', transition: 'supersede', updated_at: T(2), dry_run: true },
    {
      'subject_id length': [1, 200],
      'superseded_by length': [1, 200],
      'commit_message length': [0, 240],
    },
  ],
  ['read', requests.readRequest, subject, { 'subject_id length': [1, 200] }],
  ['compare', requests.compareRequest, { ...subject, candidate_capsule: candidate, signals }, signalled],
  [
    'revalidate',
    requests.revalidateRequest,
    { ...subject, outcome: 'degrade', reason: 'why', signals, dry_run: true },
    { ...signalled, 'reason length': [1, 120] },
  ],
  [
    'list',
    requests.listRequest,
    {},
    {
      'limit number': [1, 200],
      'scope_anchor length': [0, 200],
      'keyword length': [0, 40],
      'label_exact length': [0, 120],
      'anchor_kind length': [0, 40],
      'anchor_value length': [0, 200],
    },
  ],
  ['archive', requests.archiveRequest, { ...subject, reason: 'why' }, reason],
  ['delete', requests.deleteRequest, { ...subject, reason: 'why', delete_archive: true }, reason],
  ['refresh/plan', requests.refreshPlanRequest, {}, { 'limit number': [1, 100] }],
  ['retention/plan', requests.retentionPlanRequest, {}, { 'limit number': [1, 100] }],
  ['history', historyRequest, subject, { 'subject_id length': [1, 200], 'limit number': [1, 100] }],
] as const;

describeEachServer('continuity › bounds of requests', (start) => {
  let memory: Memory;
  beforeAll(async () => {
    memory = await (await startMemory(start)).owner();
  });

  test.each(REQUESTS)('%s: the most and the least are taken, one beyond is not', async (...row) => {
    const [operation, schema, usual, documented] = row;
    const { own, bodyWith } = requestBounds(schema);
    expect(Object.fromEntries(own.map((bound) => [nameOf(bound), [bound.least, bound.most]]))).toMatchObject(
      documented,
    );
    for (const bound of own) {
      // Numbers beyond what is exact are taken for the largest that is.
      if (bound.most === Number.MAX_SAFE_INTEGER) continue;
      const breachOf = async (size: number): Promise<unknown> => {
        const { status, body } = await memory.call(operation, bodyWith(usual, bound, valueOf(bound, size)));
        // Past the schema there is nothing of that name, or a rule the body breaks.
        const taken = bound.status === 422 ? [200, 400, 404] : [200];
        if (status !== 422) return taken.includes(status) ? 'taken' : status;
        const [first] = (body as unknown as SchemaDetail).detail;
        return first?.loc.slice(1).map((key) => (typeof key === 'number' ? '[]' : key));
      };
      const refused = bound.status === 422 ? bound.path : 400;
      expect([nameOf(bound), await breachOf(bound.most)]).toEqual([nameOf(bound), 'taken']);
      expect([nameOf(bound), await breachOf(bound.most + 1)]).toEqual([nameOf(bound), refused]);
      if (bound.least === 0) continue;
      expect([nameOf(bound), await breachOf(bound.least)]).toEqual([nameOf(bound), 'taken']);
      expect([nameOf(bound), await breachOf(bound.least - 1)]).toEqual([nameOf(bound), refused]);
    }
  });
});

describeEachServer('continuity › bounds', (start) => {
  let memory: Memory;
  beforeAll(async () => {
    memory = await (await startMemory(start)).owner();
    await memory.store('user', 'compared');
  });
  let count = 0;

  /** What an author may not say of itself is looked at where a candidate is compared. */
  const send = async (bound: Bound, value: unknown): Promise<number> => {
    if (bound.path[0] !== 'verification_state' && bound.path[0] !== 'capsule_health') {
      const capsule = capsuleWith(bound, value, `b${++count}`);
      return (await memory.upsert(capsule)).status;
    }
    const answer = await memory.call('compare', {
      subject_kind: 'user',
      subject_id: 'compared',
      candidate_capsule: capsuleWith(bound, value, 'compared'),
      signals: [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }],
    });
    return answer.status;
  };

  describe.each(CAPSULE_BOUNDS.map((bound) => [nameOf(bound), bound] as const))('%s', (name, bound) => {
    test('the most passes, one more does not', async () => {
      expect(await send(bound, valueOf(bound, bound.most))).toBe(200);
      expect(await send(bound, valueOf(bound, bound.most + 1))).toBe(bound.status);
    });

    if (bound.kind === 'length' && !LATIN_ONLY.test(`${name} `)) {
      test('counted in characters, not in units', async () => {
        expect(await send(bound, valueOf(bound, bound.most, '😀'))).toBe(200);
        expect(await send(bound, valueOf(bound, bound.most + 1, '😀'))).toBe(bound.status);
      });
    }

    if (bound.least > 0) {
      test('the least passes, one less does not', async () => {
        expect(await send(bound, valueOf(bound, bound.least))).toBe(200);
        const below = bound.path[0] === 'thread_descriptor' && name.includes('keywords') ? 200 : bound.status;
        // An empty keyword is dropped without a word.
        expect(await send(bound, valueOf(bound, bound.least - 1))).toBe(below);
      });
    }
  });

  test('a capsule with every list full is kept whole', async () => {
    const capsule = baseCapsule('user', 'full');
    for (const bound of CAPSULE_BOUNDS) {
      if (bound.kind !== 'items' || bound.path[0] === 'thread_descriptor' || bound.path.includes('[]'))
        continue;
      if (bound.path[0] === 'verification_state' || bound.path[0] === 'capsule_health') continue;
      const [first = '', ...rest] = bound.path;
      const part = capsuleWith(bound, valueOf(bound, bound.most), 'full');
      if (first !== 'continuity') Object.assign(capsule, { [first]: part[first as keyof typeof part] });
      else Object.assign(capsule.continuity, { [rest[0] ?? '']: part.continuity[rest[0] as 'open_loops'] });
    }
    expect((await memory.upsert(capsule)).status).toBe(200);
    const read = await memory.capsule('user', 'full');
    expect(read.continuity.top_priorities).toHaveLength(8);
    expect(read.stable_preferences).toHaveLength(12);
  });
});
