import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { breach, daysAgo, type Memory, type MemoryServer, startMemory } from '../testing/memory.ts';

const described = (label: string, keywords: string[], value: string) => ({
  thread_descriptor: {
    label,
    keywords,
    scope_anchors: ['user:stef'],
    identity_anchors: [
      { kind: 'repo', value },
      { kind: 'issue', value: '7' },
    ],
  },
});

describeEachServer('continuity › list', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const names = async (body: object) =>
    (await memory.list(body)).body.capsules.map((row) => `${row.subject_kind}/${row.subject_id}`);

  test('goes in the order of kinds and ids', async () => {
    memory = await home.owner();
    await memory.store('user', 'b');
    await memory.store('user', 'a');
    await memory.store('task', 'z');
    const { body } = await memory.list();
    expect([body.count, body.unique_match]).toEqual([3, false]);
    expect(await names({})).toEqual(['task/z', 'user/a', 'user/b']);
    expect(body.capsules.map((row) => [row.artifact_state, row.retention_class])).toEqual(
      Array.from({ length: 3 }, () => ['active', 'active']),
    );
    expect(body.capsules[1]).toEqual({
      subject_kind: 'user',
      subject_id: 'a',
      path: 'memory/continuity/user-a.json',
      updated_at: T(1),
      verified_at: T(1),
      verification_kind: null,
      freshness_class: null,
      phase: 'stale_soft',
      verification_status: 'unverified',
      health_status: 'healthy',
      health_reasons: [],
      artifact_state: 'active',
      retention_class: 'active',
      stable_preference_count: 0,
      rationale_entry_count: 0,
      thread_descriptor: null,
      resume_adequate: true,
    });
    expect(await names({ subject_kind: 'user' })).toEqual(['user/a', 'user/b']);
    expect((await memory.list({ limit: 1 })).body.count).toBe(1);
  });

  test('ids stand in the order of characters', async () => {
    memory = await home.owner();
    for (const id of ['x-😀-2', 'b', 'Bx', 'x-ﬀ-1', 'a']) await memory.store('user', id);
    expect(await names({})).toEqual(['user/Bx', 'user/a', 'user/b', 'user/x-ﬀ-1', 'user/x-😀-2']);
  });

  test('snapshots stand beside their capsules', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    await memory.store('user', 'b');
    const { capsules } = (await memory.list({ include_fallback: true })).body;
    expect(capsules.map((row) => [row.subject_id, row.artifact_state, row.path])).toEqual([
      ['a', 'active', 'memory/continuity/user-a.json'],
      ['a', 'fallback', 'memory/continuity/fallback/user-a.json'],
      ['b', 'active', 'memory/continuity/user-b.json'],
      ['b', 'fallback', 'memory/continuity/fallback/user-b.json'],
    ]);
  });

  test('entries are counted, whatever their status', async () => {
    memory = await home.owner();
    const entry = { kind: 'decision', summary: 's', reasoning: 'r' } as const;
    await memory.store('user', 'a', {
      stable_preferences: [
        { tag: 'a', content: 'c' },
        { tag: 'b', content: 'c' },
      ],
      continuity: {
        rationale_entries: [
          { ...entry, tag: 'a', status: 'active' },
          { ...entry, tag: 'b', status: 'active' },
          { ...entry, tag: 'c', status: 'retired' },
        ],
      },
    });
    expect((await memory.list()).body.capsules[0]).toMatchObject({
      stable_preference_count: 2,
      rationale_entry_count: 3,
    });
  });

  test('can be asked by lifecycle', async () => {
    memory = await home.owner();
    const thread_descriptor = { label: 'L' };
    await memory.store('thread', 'a', { thread_descriptor });
    await memory.store('thread', 'b', { thread_descriptor });
    await memory.store('thread', 'c');
    await memory.call('lifecycle', {
      subject_kind: 'thread',
      subject_id: 'a',
      transition: 'suspend',
      updated_at: T(2),
    });
    const { body } = await memory.list({ lifecycle: 'suspended' });
    expect([body.count, body.unique_match, body.capsules[0]?.subject_id]).toEqual([1, true, 'a']);
  });

  test('refuses an unknown order and a keyword that is too long', async () => {
    memory = await home.owner();
    expect((await memory.list({ sort: null })).status).toBe(200);
    expect(breach(await memory.list({ sort: 'best' }))).toEqual([422, 'literal_error']);
    expect(breach(await memory.list({ keyword: 'x'.repeat(41) }))).toEqual([422, 'string_too_long']);
  });

  test('filters of descriptors hold together, and hold for snapshots and archives', async () => {
    memory = await home.owner();
    await memory.store('thread', 'a', described('Parser', ['code'], 'one'));
    await memory.store('task', 'b', described('Printer', ['code', 'paper'], 'two'));
    await memory.store('user', 'c');
    expect(await names({ keyword: ' CODE ' })).toEqual(['task/b', 'thread/a']);
    expect(await names({ keyword: 'code', label_exact: 'Parser' })).toEqual(['thread/a']);
    expect(await names({ label_exact: 'parser' })).toEqual([]);
    expect(await names({ scope_anchor: 'USER:stef', keyword: 'paper' })).toEqual(['task/b']);
    expect(await names({ anchor_kind: 'REPO', anchor_value: 'one' })).toEqual(['thread/a']);
    expect(await names({ anchor_kind: 'repo', anchor_value: '7' })).toEqual([]);
    expect(await names({ anchor_kind: 'issue' })).toEqual(['task/b', 'thread/a']);
    expect(await names({ anchor_value: 'two' })).toEqual(['task/b']);
    const limited = (await memory.list({ keyword: 'code', limit: 1 })).body;
    expect([limited.count, limited.unique_match]).toEqual([1, false]);
    await memory.call('archive', { subject_kind: 'thread', subject_id: 'a', reason: 'done' });
    const rows = (await memory.list({ keyword: 'code', include_fallback: true, include_archived: true }))
      .body;
    expect(rows.capsules.map((row) => [row.subject_id, row.artifact_state])).toEqual([
      ['b', 'active'],
      ['b', 'fallback'],
      ['a', 'fallback'],
      ['a', 'archived'],
    ]);
  });

  test('by salience: lifecycle, health, freshness, adequacy, verification, age', async () => {
    memory = await home.owner();
    const fresh = { verified_at: daysAgo(1) };
    await memory.store('user', 'plain', fresh, T(20));
    await memory.store('user', 'newer', fresh, T(21));
    await memory.store('user', 'claimed', { ...fresh, verification_kind: 'system_check' }, T(2));
    await memory.store('user', 'hollow', { ...fresh, continuity: { open_loops: [] } }, T(22));
    await memory.store('user', 'stale', {}, T(1));
    await memory.store('user', 'sick', fresh, T(23));
    await memory.call('revalidate', {
      subject_kind: 'user',
      subject_id: 'sick',
      outcome: 'degrade',
      reason: 'r',
      signals: [{ kind: 'system_check', source_ref: 'r', observed_at: T(1), summary: 's' }],
    });
    await memory.store('thread', 'alive', { thread_descriptor: { label: 'L' } }, T(1));
    const { body } = await memory.call<{
      capsules: {
        subject_id: string;
        salience_rank: number;
        salience: { rank: number; sort_key: object };
        verification_claimed?: boolean;
      }[];
      salience_metadata: object;
    }>('list', { sort: 'salience' });
    expect(body.capsules.map((row) => row.subject_id)).toEqual([
      'alive',
      'claimed',
      'newer',
      'plain',
      'hollow',
      'stale',
      'sick',
    ]);
    expect(body.capsules.map((row) => [row.salience_rank, row.salience.rank])).toEqual(
      body.capsules.map((_, index) => [index + 1, index]),
    );
    expect(body.capsules[1]?.salience.sort_key).toEqual({
      lifecycle_rank: 99,
      health_rank: 0,
      freshness_rank: 0,
      resume_adequate: true,
      verification_rank: 4,
      updated_age_seconds: 30 * 86_400,
    });
    expect(body.capsules[1]?.verification_claimed).toBe(true);
    expect(body.salience_metadata).toEqual({
      sort_applied: true,
      capsule_count: 7,
      best_lifecycle_rank: 0,
      worst_health_rank: 1,
      worst_freshness_rank: 1,
      all_resume_adequate: false,
    });
  });

  test('by salience: the rest follows without a rank', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const { body } = await memory.call<{ capsules: Record<string, unknown>[] }>('list', {
      sort: 'salience',
      include_fallback: true,
    });
    expect(body.capsules.map((row) => [row.artifact_state, row.salience_rank])).toEqual([
      ['active', 1],
      ['fallback', null],
    ]);
    const empty = await (await home.owner()).call('list', { sort: 'salience' });
    expect(empty.body.salience_metadata).toBeNull();
    expect((await memory.call('list', {})).body).not.toHaveProperty('salience_metadata');
  });

  test('an archive is stale when it is more than ninety days old', async () => {
    const later = await startMemory(start);
    memory = await later.owner();
    await memory.store('user', 'a');
    await memory.call('archive', { subject_kind: 'user', subject_id: 'a', reason: 'done' });
    const rows = async () => (await memory.list({ include_archived: true })).body.capsules;
    await later.clock.leap(90 * 86_400_000);
    expect(await rows()).toMatchObject([{ artifact_state: 'archived', retention_class: 'archive_recent' }]);
    await later.clock.leap(1000);
    expect(await rows()).toMatchObject([
      {
        path: 'memory/continuity/user-a.json',
        archive_path: 'memory/continuity/archive/user-a-20260401T120000Z.json',
        archived_at: '2026-04-01T12:00:00Z',
        artifact_state: 'archived',
        retention_class: 'archive_stale',
      },
    ]);
  });

  test('page by page', async () => {
    memory = await home.owner();
    for (const id of ['a', 'b', 'c']) await memory.store('user', id);
    const seen: string[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const { body } = await memory.list({ limit: 2, include_fallback: true, cursor });
      seen.push(...body.capsules.map((row) => `${row.subject_id} ${String(row.artifact_state)}`));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(['a active', 'a fallback', 'b active', 'b fallback', 'c active', 'c fallback']);
    expect((await memory.list({ limit: 2 })).body).not.toHaveProperty('next_cursor');
    expect((await memory.list({ cursor: 'nonsense' })).status).toBe(400);
  });

  test('page by page in the order of salience', async () => {
    memory = await home.owner();
    for (const [index, id] of ['c', 'a', 'b'].entries()) await memory.store('user', id, {}, T(20 - index));
    const ask = { sort: 'salience', limit: 2, include_fallback: true };
    const seen: unknown[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const { body } = await memory.list({ ...ask, cursor });
      seen.push(...body.capsules.map((row) => [row.subject_id, row.salience_rank]));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual([
      ['c', 1],
      ['a', 2],
      ['b', 3],
      ['a', null],
      ['b', null],
      ['c', null],
    ]);
    expect((await memory.list(ask)).body).not.toHaveProperty('next_cursor');
    for (const nonsense of ['nonsense', 'LTE', 'MWU5']) {
      expect((await memory.list({ ...ask, cursor: nonsense })).status).toBe(400);
    }
  });

  test('the last page of many is no unique match', async () => {
    memory = await home.owner();
    for (const id of ['a', 'b']) await memory.store('thread', id, { thread_descriptor: { label: 'L' } });
    const first = (await memory.list({ label_exact: 'L', limit: 1, cursor: '' })).body;
    const second = (await memory.list({ label_exact: 'L', limit: 1, cursor: first.next_cursor })).body;
    expect([first.unique_match, second.count, second.unique_match]).toEqual([false, 1, false]);
  });

  test('what an owner has is its own', async () => {
    memory = await home.owner();
    await memory.store('user', 'mine', { continuity: { open_loops: ['secret plan'] } });
    const stranger = await home.owner();
    expect((await stranger.read('user', 'mine')).status).toBe(404);
    expect((await stranger.read('user', 'mine', { allow_fallback: true })).body.source_state).toBe('missing');
    expect((await stranger.list({ include_fallback: true })).body.count).toBe(0);
    expect(
      (await stranger.call('history', { subject_kind: 'user', subject_id: 'mine' })).body.revisions,
    ).toEqual([]);
    expect((await stranger.call('search', { query: 'secret' })).body.count).toBe(0);
    expect(
      (await stranger.call('archive', { subject_kind: 'user', subject_id: 'mine', reason: 'why' })).status,
    ).toBe(404);
    const patch = { subject_kind: 'user', subject_id: 'mine', updated_at: T(2) };
    const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'x' }];
    expect((await stranger.call('patch', { ...patch, operations })).status).toBe(404);
    const flags = { delete_active: true, delete_fallback: true, delete_archive: true };
    await stranger.call('delete', { subject_kind: 'user', subject_id: 'mine', reason: 'mine now', ...flags });
    await stranger.upsert(baseCapsule('user', 'mine', T(5)));
    expect((await memory.capsule('user', 'mine')).continuity.open_loops).toEqual(['secret plan']);
  });
});
