import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, type SentCapsule, type SentState, T } from '../testing/base-capsule.ts';
import { breach, type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

const STANCE = 'Keep going with the parser until all of its tests pass.';
const snapshot = {
  open_loops: ['loop'],
  top_priorities: ['priority'],
  active_constraints: ['constraint'],
  stance_summary: STANCE,
};

describeEachServer('continuity › snapshot', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });

  test('what the session ended on goes over the capsule', async () => {
    const capsule = baseCapsule('user', 'a', T(1), { continuity: { session_trajectory: ['t'] } });
    const { status, body } = await memory.upsert(capsule, { session_end_snapshot: snapshot });
    expect([status, body.session_end_snapshot_applied, body.resume_quality]).toEqual([
      200,
      true,
      { adequate: true },
    ]);
    const { continuity } = await memory.capsule('user', 'a');
    expect(continuity).toMatchObject({
      ...snapshot,
      session_trajectory: ['t'],
      active_concerns: ['flaky build'],
    });
    const again = await memory.upsert(capsule, { session_end_snapshot: snapshot });
    expect([again.body.updated, again.body.session_end_snapshot_applied]).toEqual([false, true]);
  });

  test('an empty list is a value', async () => {
    const capsule = baseCapsule('user', 'b', T(1), { continuity: { session_trajectory: ['t'] } });
    await memory.upsert(capsule, { session_end_snapshot: { ...snapshot, session_trajectory: [] } });
    expect((await memory.capsule('user', 'b')).continuity.session_trajectory).toEqual([]);
  });

  test('null is none', async () => {
    const { status, body } = await memory.upsert(baseCapsule('user', 'c'), { session_end_snapshot: null });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('session_end_snapshot_applied');
    expect(body).not.toHaveProperty('resume_quality');
  });

  test('a snapshot out of bounds stores nothing', async () => {
    const { top_priorities: _left, ...without } = snapshot;
    const missing = await memory.upsert<{ detail: { loc: string[] }[] }>(baseCapsule('user', 'd'), {
      session_end_snapshot: without,
    });
    expect([missing.status, missing.body.detail[0]?.loc]).toEqual([
      422,
      ['body', 'session_end_snapshot', 'top_priorities'],
    ]);
    const long = { ...snapshot, open_loops: ['x'.repeat(161)] };
    expect(refusal(await memory.upsert(baseCapsule('user', 'd'), { session_end_snapshot: long }))).toEqual([
      400,
      'Value too long in open_loops',
    ]);
    expect((await memory.read('user', 'd')).status).toBe(404);
  });
});

describeEachServer('continuity › merge and normalisation', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });
  /** Over what is stored, keeping what is not sent. */
  const preserve = (capsule: SentCapsule | object, more: object = {}) =>
    memory.upsert(capsule as SentCapsule, { merge_mode: 'preserve', ...more });

  test('for a new subject it is the same as replacing', async () => {
    const { status, body } = await preserve(baseCapsule('user', 'new'));
    expect([status, body.created]).toEqual([200, true]);
  });

  test('null for documents empties them there too', async () => {
    const capsule = baseCapsule('user', 'newer', T(1), { continuity: { related_documents: null } });
    expect((await preserve(capsule)).status).toBe(200);
    expect((await memory.capsule('user', 'newer')).continuity.related_documents).toEqual([]);
  });

  test('replacing drops what is not sent', async () => {
    await memory.store('user', 'r', { continuity: { trailing_notes: ['n'] } });
    await memory.store('user', 'r', {}, T(2));
    expect((await memory.capsule('user', 'r')).continuity.trailing_notes).toEqual([]);
  });

  test('null removes a descriptor', async () => {
    await memory.store('thread', 't', { thread_descriptor: { label: 'L' } });
    const { status, body } = await preserve(baseCapsule('thread', 't', T(2), { thread_descriptor: null }));
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('lifecycle');
    expect(await memory.capsule('thread', 't')).not.toHaveProperty('thread_descriptor');
  });

  test('null removes, absence keeps', async () => {
    await memory.store('user', 'o', {
      attention_policy: { early_load: ['memory/a'] },
      freshness: { freshness_class: 'durable' },
    });
    await preserve(baseCapsule('user', 'o', T(2), { attention_policy: null }));
    const capsule = await memory.capsule('user', 'o');
    expect(capsule).not.toHaveProperty('attention_policy');
    expect(capsule.freshness).toEqual({ freshness_class: 'durable' });
  });

  const full = {
    canonical_sources: ['memory/a'],
    metadata: { project: 'apollo' },
    stable_preferences: [{ tag: 't', content: 'c' }],
    continuity: {
      working_hypotheses: ['w'],
      session_trajectory: ['s'],
      negative_decisions: [{ decision: 'd', rationale: 'r' }],
      related_documents: [{ path: 'docs/a.md', kind: 'design', label: 'A' }],
      relationship_model: { trust_level: 'high' as const },
    },
  };

  test('what is not sent stays, and an empty required list stays too', async () => {
    await memory.store('user', 'keep', full);
    const before = await memory.capsule('user', 'keep');
    const { top_priorities: _kept, ...rest } = baseCapsule('user', 'keep', T(2)).continuity;
    await preserve(
      baseCapsule('user', 'keep', T(2), {
        continuity: { ...rest, top_priorities: [], stance_summary: STANCE },
      }),
    );
    const after = await memory.capsule('user', 'keep');
    expect(after).toEqual({
      ...before,
      updated_at: T(2),
      verified_at: T(2),
      continuity: { ...before.continuity, stance_summary: STANCE },
    });
  });

  const reason = { kind: 'decision', status: 'active', summary: 's', reasoning: 'r' } as const;

  test.each<[keyof SentState, unknown, unknown]>([
    ['long_horizon_commitments', ['kept'], []],
    ['trailing_notes', ['kept'], []],
    ['curiosity_queue', ['kept'], []],
    ['rationale_entries', [{ ...reason, tag: 'kept' }], []],
    ['retrieval_hints', { must_include: ['kept'] }, undefined],
  ])('%s: absence keeps, null clears', async (field, value, cleared) => {
    const read = async () => (await memory.capsule('user', field)).continuity[field];
    await memory.store('user', field, { continuity: { [field]: value } });
    const before = await read();
    expect(before).toMatchObject(value as object);
    await preserve(baseCapsule('user', field, T(2)));
    expect(await read()).toEqual(before);
    const { status } = await preserve(baseCapsule('user', field, T(3), { continuity: { [field]: null } }));
    expect([status, await read()]).toEqual([200, cleared]);
  });

  test('each of the five required lists is kept when it comes empty', async () => {
    const lists = {
      top_priorities: ['p'],
      active_concerns: ['c'],
      active_constraints: ['n'],
      open_loops: ['l'],
      drift_signals: ['d'],
    };
    await memory.store('user', 'required', { continuity: lists });
    const empty = Object.fromEntries(Object.keys(lists).map((name) => [name, []]));
    const { body } = await preserve(baseCapsule('user', 'required', T(2), { continuity: empty }));
    expect(body.updated).toBe(true);
    expect((await memory.capsule('user', 'required')).continuity).toMatchObject(lists);
  });

  test.each<[string, object, string | undefined]>([
    ['not sent', {}, undefined],
    ['sent as null', { verification_kind: null, verification_state: null, capsule_health: null }, undefined],
    [
      'sent',
      {
        verification_kind: 'peer_confirmation',
        verification_state: {
          status: 'peer_confirmed',
          last_revalidated_at: T(1),
          strongest_signal: 'peer_confirmation',
        },
        capsule_health: { status: 'degraded', reasons: ['old'], last_checked_at: T(1) },
      },
      'peer_confirmation',
    ],
  ])('verification and health %s: both go, the kind is what was sent', async (id, change, kind) => {
    await memory.store('user', id);
    await memory.call('revalidate', {
      subject_kind: 'user',
      subject_id: id,
      outcome: 'confirm',
      signals: [{ kind: 'system_check', source_ref: 'ref', observed_at: T(1), summary: 'seen' }],
    });
    expect(await memory.capsule('user', id)).toMatchObject({
      verification_kind: 'system_check',
      verification_state: { status: 'system_confirmed' },
      capsule_health: { status: 'healthy' },
    });
    expect((await preserve(baseCapsule('user', id, T(2), change))).status).toBe(200);
    const capsule = await memory.capsule('user', id);
    expect(capsule.verification_kind).toBe(kind);
    expect(capsule).not.toHaveProperty('verification_state');
    expect(capsule).not.toHaveProperty('capsule_health');
  });

  test('null clears lists and maps in preserve mode, and only there', async () => {
    await memory.store('user', 'clear', full);
    const nulls = {
      ...baseCapsule('user', 'clear', T(2)),
      canonical_sources: null,
      metadata: null,
      stable_preferences: null,
      continuity: {
        ...baseCapsule('user', 'clear').continuity,
        working_hypotheses: null,
        session_trajectory: [],
        negative_decisions: null,
        related_documents: null,
        relationship_model: null,
      },
    };
    expect((await preserve(nulls)).status).toBe(200);
    const capsule = await memory.capsule('user', 'clear');
    expect([capsule.canonical_sources, capsule.metadata, capsule.stable_preferences]).toEqual([[], {}, []]);
    expect(capsule.continuity).toMatchObject({
      working_hypotheses: [],
      session_trajectory: [],
      negative_decisions: [],
      related_documents: [],
    });
    expect(capsule.continuity).not.toHaveProperty('relationship_model');
    const listNull = { ...baseCapsule('user', 'clear', T(3)), canonical_sources: null };
    expect(breach(await memory.upsert(listNull as unknown as SentCapsule))).toEqual([422, 'list_type']);
    const required = { ...baseCapsule('user', 'clear', T(3)).continuity, open_loops: null };
    expect(breach(await preserve({ ...baseCapsule('user', 'clear', T(3)), continuity: required }))).toEqual([
      422,
      'list_type',
    ]);
  });

  test('the lists of a descriptor are kept one by one', async () => {
    const thread_descriptor = {
      label: 'L',
      keywords: ['a'],
      scope_anchors: ['user:x'],
      identity_anchors: [{ kind: 'repo', value: 'r' }],
    };
    await memory.store('thread', 'd', { thread_descriptor });
    await preserve({
      ...baseCapsule('thread', 'd', T(2)),
      thread_descriptor: { label: 'M', keywords: null, scope_anchors: [] },
    });
    expect((await memory.capsule('thread', 'd')).thread_descriptor).toEqual({
      label: 'M',
      keywords: [],
      scope_anchors: [],
      identity_anchors: [{ kind: 'repo', value: 'r' }],
      lifecycle: 'active',
    });
    await preserve(baseCapsule('thread', 'd', T(3)));
    expect((await memory.capsule('thread', 'd')).thread_descriptor?.label).toBe('M');
  });

  test('what a snapshot empties is empty', async () => {
    await memory.store('user', 's', { continuity: { session_trajectory: ['t'] } });
    await preserve(baseCapsule('user', 's', T(2)), {
      session_end_snapshot: { ...snapshot, open_loops: [], session_trajectory: [] },
    });
    const { continuity } = await memory.capsule('user', 's');
    expect([continuity.open_loops, continuity.session_trajectory]).toEqual([[], []]);
  });

  test("a capsule's own dump over itself changes clocks and nothing else", async () => {
    await memory.store('user', 'self', full);
    const before = await memory.capsule('user', 'self');
    const sent = { ...before, updated_at: T(2) };
    await preserve(sent);
    expect(await memory.capsule('user', 'self')).toEqual({ ...before, updated_at: T(2) });
  });

  test('each step that changed something is told, in order', async () => {
    const { status, body } = await memory.upsert(
      baseCapsule('user', 'norm', T(1), {
        canonical_sources: ['memory/a', 'memory/a'],
        stable_preferences: [{ tag: 'x ', content: 'c' }],
        continuity: {
          top_priorities: [' a ', 'a', ''],
          curiosity_queue: ['q', 'q'],
          rationale_entries: [
            { tag: ' r', kind: 'decision', status: 'active', summary: 's', reasoning: 'r' },
          ],
          negative_decisions: [{ decision: ' d', rationale: 'r' }],
        },
      }),
    );
    expect(status).toBe(200);
    expect(body.normalizations_applied).toEqual([
      'strip:continuity.top_priorities',
      'drop_empty:continuity.top_priorities',
      'dedup:continuity.top_priorities',
      'dedup:continuity.curiosity_queue',
      'dedup:canonical_sources',
      'strip:stable_preferences',
      'strip:rationale_entries.tag',
      'strip:negative_decisions',
    ]);
  });

  test.each<['rationale_entries' | 'negative_decisions', string, object[]]>([
    [
      'rationale_entries',
      'strip:rationale_entries.tag',
      [
        { ...reason, tag: 'a' },
        { ...reason, tag: 'b' },
        { ...reason, tag: ' a ', summary: 'last' },
      ],
    ],
    [
      'negative_decisions',
      'strip:negative_decisions',
      [
        { decision: 'a', rationale: 'first' },
        { decision: 'b', rationale: 'r' },
        { decision: ' a ', rationale: 'last' },
      ],
    ],
  ])(
    '%s that differ only in blanks are folded: the last wins, in its own place',
    async (list, strip, sent) => {
      const { status, body } = await memory.upsert(
        baseCapsule('peer', list, T(1), { continuity: { [list]: sent } }),
      );
      expect([status, body.normalizations_applied]).toEqual([200, [strip, `dedup:${list}`]]);
      const entries = (await memory.capsule('peer', list)).continuity[list];
      const [, between, last] = sent;
      const key = list === 'rationale_entries' ? 'tag' : 'decision';
      expect(entries).toHaveLength(2);
      expect(entries).toMatchObject([between, { ...last, [key]: 'a' }]);
    },
  );
});
