import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

interface History {
  revisions: {
    revision: number;
    operation: string;
    recorded_at: string;
    peer_id: string;
    commit_message: string;
    reason: string | null;
    idempotency_key: string | null;
    capsule_sha256: string | null;
    changed_fields: string[];
  }[];
  next_before: number | null;
}

const stance = (text: string) => ({ continuity: { stance_summary: text } });

describeEachServer('continuity › history', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start, { continuityRevisionsKept: 5 });
  });
  const subject = { subject_kind: 'user', subject_id: 'a' };
  const history = async (more: object = {}) =>
    (await memory.call<History>('history', { ...subject, ...more })).body;

  test('every write is a revision', async () => {
    memory = await home.owner();
    await memory.store('user', 'a', {}, T(1), { idempotency_key: 'key', commit_message: 'first words' });
    await memory.upsert(baseCapsule('user', 'a', T(1)));
    await memory.call('patch', {
      ...subject,
      updated_at: T(2),
      operations: [{ target: 'continuity.open_loops', action: 'append', value: 'x' }],
    });
    await memory.call('archive', { ...subject, reason: 'over and done' });
    const { revisions } = await history();
    expect(new Set(revisions.map((row) => row.recorded_at))).toEqual(new Set(['2026-04-01T12:00:00Z']));
    expect(
      revisions.map((row) => [row.revision, row.operation, row.commit_message, row.changed_fields]),
    ).toEqual([
      [3, 'archive', 'continuity: archive user a', []],
      [2, 'patch', 'continuity: patch user a', ['updated_at', 'continuity.open_loops']],
      [
        1,
        'upsert',
        'first words',
        [
          'subject_kind',
          'subject_id',
          'schema_version',
          'updated_at',
          'source',
          'continuity',
          'confidence',
          'canonical_sources',
          'metadata',
          'stable_preferences',
        ],
      ],
    ]);
    expect(revisions.map((row) => [row.peer_id, row.reason, row.idempotency_key])).toEqual([
      ['self', 'over and done', null],
      ['self', null, null],
      ['self', null, 'key'],
    ]);
    expect(revisions[1]?.capsule_sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test('the agent that wrote is named', async () => {
    const agent = await home.people.agent('Ada Lovelace');
    const { body } = await home.people.whoami(agent.key);
    memory = new (memory.constructor as typeof Memory)(home.people, { id: body.owner.id, key: agent.key });
    await memory.store('user', 'a');
    expect((await history()).revisions[0]?.peer_id).toBe(body.agent?.slug);
  });

  test('page by page, and older states can be read', async () => {
    memory = await home.owner();
    for (const day of [1, 2, 3]) await memory.store('user', 'a', stance(`stance ${day}`), T(day));
    const first = await history({ limit: 2 });
    expect([first.revisions.map((row) => row.revision), first.next_before]).toEqual([[3, 2], 2]);
    const rest = await history({ limit: 2, before: 2 });
    expect([rest.revisions.map((row) => row.revision), rest.next_before]).toEqual([[1], null]);
    const old = await memory.read('user', 'a', { revision: 2 });
    expect(old.body.capsule.continuity.stance_summary).toBe('stance 2');
    expect(refusal(await memory.read('user', 'a', { revision: 9 }))).toEqual([
      404,
      'Continuity revision not found',
    ]);
  });

  test('only so many are kept', async () => {
    memory = await home.owner();
    for (let day = 1; day <= 17; day++) await memory.store('user', 'a', stance(`stance ${day}`), T(day));
    const { revisions, next_before: more } = await history({ limit: 100 });
    expect([revisions.map((row) => row.revision), more]).toEqual([[17, 16, 15, 14, 13], null]);
    // What the oldest of them changed is still known.
    expect(revisions.at(-1)?.changed_fields).toEqual(['updated_at', 'continuity.stance_summary']);
    const last = await history({ limit: 1, before: 14 });
    expect([last.revisions.map((row) => row.revision), last.next_before]).toEqual([[13], null]);
  });

  test('what differs between two states', async () => {
    memory = await home.owner();
    await memory.store('user', 'a', {
      stable_preferences: [
        { tag: 'a', content: '1' },
        { tag: 'b', content: '2' },
      ],
    });
    await memory.store(
      'user',
      'a',
      {
        stable_preferences: [
          { tag: 'a', content: '9' },
          { tag: 'c', content: '3' },
        ],
        continuity: { open_loops: ['answer review', 'new'], stance_summary: 'another' },
      },
      T(2),
    );
    const { body } = await memory.call<{ changes: { path: string }[] }>('diff', {
      ...subject,
      from: 1,
      to: 'active',
    });
    expect(body.changes.map(({ path }) => path)).toEqual([
      'updated_at',
      'continuity.open_loops',
      'continuity.stance_summary',
      'stable_preferences',
    ]);
    expect(body.changes[1]).toEqual({
      path: 'continuity.open_loops',
      before: ['answer review'],
      after: ['answer review', 'new'],
      added: ['new'],
      removed: [],
    });
    expect(body.changes[3]).toMatchObject({
      added: [{ tag: 'c', content: '3' }],
      removed: [{ tag: 'b', content: '2' }],
      changed: ['a'],
    });
    const same = await memory.call('diff', { ...subject, from: 'active', to: 'fallback' });
    expect(same.body).toMatchObject({ identical: true, changes: [] });
    expect((await memory.call('diff', { ...subject, from: 1, to: 'yesterday' })).status).toBe(400);
  });

  test('a list that only one of the states has', async () => {
    memory = await home.owner();
    const document = { path: 'docs/tides.md', kind: 'spec', label: 'Tides' };
    await memory.store('user', 'a');
    await memory.store('user', 'a', { continuity: { related_documents: [document] } }, T(2));
    const change = async (from: number, to: number) =>
      (await memory.call<{ changes: unknown[] }>('diff', { ...subject, from, to })).body.changes[1];
    const path = 'continuity.related_documents';
    expect(await change(1, 2)).toEqual({
      path,
      before: null,
      after: [document],
      added: [document],
      removed: [],
    });
    expect(await change(2, 1)).toMatchObject({ path, after: null, added: [], removed: [document] });
  });

  test('an older state written again', async () => {
    memory = await home.owner();
    await memory.store('user', 'a', stance('good'), T(1));
    await memory.store('user', 'a', stance('bad'), T(2));
    const restore = (from: unknown, at: string) =>
      memory.call('restore', { ...subject, from, updated_at: at, reason: 'went wrong' });
    expect((await restore(1, T(2))).status).toBe(409);
    const { status, body } = await restore(1, T(3));
    expect([status, body.updated, body.revision]).toEqual([200, true, 3]);
    expect((await memory.capsule('user', 'a')).continuity.stance_summary).toBe('good');
    const archived = await memory.call<{ archived_path: string }>('archive', { ...subject, reason: 'done' });
    const back = await restore(archived.body.archived_path, T(4));
    expect([back.status, back.body.created]).toEqual([200, true]);
    expect((await restore(77, T(5))).status).toBe(404);
  });

  test('an end lost in an older state is told when a descriptor comes back with another', async () => {
    memory = await home.owner();
    const thread = { subject_kind: 'thread', subject_id: 't' };
    const thread_descriptor = { label: 'L' };
    await memory.store('thread', 't');
    await memory.store('thread', 't', { thread_descriptor }, T(2));
    await memory.call('lifecycle', { ...thread, transition: 'conclude', updated_at: T(3) });
    const restore = async (from: number, at: string) =>
      (await memory.call('restore', { ...thread, from, updated_at: at, reason: 'went wrong' })).body;
    expect(await restore(1, T(4))).not.toHaveProperty('notices');
    expect((await restore(2, T(5))).notices).toEqual(['continuity_lifecycle_reset']);
  });

  test('a rehearsal stores nothing and says what would have been', async () => {
    memory = await home.owner();
    const fresh = await memory.upsert(baseCapsule('user', 'a'), { dry_run: true });
    expect(fresh.body).toMatchObject({ ok: true, dry_run: true, would_change: true });
    expect((await memory.read('user', 'a')).status).toBe(404);
    await memory.store('user', 'a');
    const dry = (operation: string, body: object) =>
      memory.call(operation, { ...subject, dry_run: true, ...body });
    const upsert = await dry('upsert', {
      capsule: baseCapsule('user', 'a', T(2), { continuity: { open_loops: [' x '] } }),
    });
    expect(upsert.body).toMatchObject({
      would_change: true,
      changed_fields: ['updated_at', 'continuity.open_loops'],
      normalizations_applied: ['strip:continuity.open_loops'],
    });
    expect((await dry('upsert', { capsule: baseCapsule('user', 'a', T(1)) })).body.would_change).toBe(false);
    const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'y' }];
    const patch = await dry('patch', { updated_at: T(2), operations });
    expect(patch.body.changed_fields).toEqual(['updated_at', 'continuity.open_loops']);
    expect((await dry('patch', { updated_at: T(1), operations })).status).toBe(409);
    const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
    const verdict = await dry('revalidate', { outcome: 'degrade', reason: 'r', signals });
    expect(verdict.body).toMatchObject({ would_change: true, capsule_health: { status: 'degraded' } });
    expect((await history()).revisions).toHaveLength(1);
  });

  test('a rehearsed transition moves nothing', async () => {
    memory = await home.owner();
    const thread = { subject_kind: 'thread', subject_id: 't' };
    await memory.store('thread', 't', { thread_descriptor: { label: 'L' } });
    const move = (transition: string, more: object = {}) =>
      memory.call('lifecycle', { ...thread, transition, updated_at: T(2), dry_run: true, ...more });
    const { status, body } = await move('suspend');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        ok: true,
        dry_run: true,
        would_change: true,
        // Where a thread stands is never among what its author changed.
        changed_fields: ['updated_at'],
        normalizations_applied: [],
        lifecycle: 'suspended',
        previous_lifecycle: 'active',
      }),
    ]);
    expect(body).not.toHaveProperty('durable');
    expect(refusal(await move('resume'))).toEqual([
      400,
      "lifecycle transition 'resume' not allowed from 'active'",
    ]);
    expect((await move('suspend', { updated_at: T(1) })).status).toBe(409);
    expect(await memory.capsule('thread', 't')).toMatchObject({
      updated_at: T(1),
      thread_descriptor: { lifecycle: 'active' },
    });
    expect((await memory.call<History>('history', thread)).body.revisions).toHaveLength(1);
    const done = await move('suspend', { dry_run: false });
    expect(done.body.capsule_sha256).toBe(body.capsule_sha256);
  });

  test('a repeated request is answered as before, if it asks for that', async () => {
    memory = await home.owner();
    const replay = { idempotency_key: 'k', idempotent_replay: true };
    const first = await memory.upsert(baseCapsule('user', 'a', T(1)), replay);
    await memory.store('user', 'a', stance('later'), T(2));
    const again = await memory.upsert(baseCapsule('user', 'a', T(1)), replay);
    expect([again.status, again.body]).toEqual([200, { ...first.body, replayed: true }]);
    const other = await memory.upsert(baseCapsule('user', 'a', T(3), stance('other')), replay);
    expect([other.status, other.body.updated, other.body.notices]).toEqual([
      200,
      true,
      ['idempotency_key_reused'],
    ]);
    const plain = await memory.upsert(baseCapsule('user', 'a', T(1)), { idempotency_key: 'k' });
    expect(plain.status).toBe(409);
    await home.clock.leap(24 * 3_600_000 + 1);
    expect(
      (await memory.upsert(baseCapsule('user', 'a', T(3), stance('other')), replay)).body,
    ).not.toHaveProperty('replayed');
  });

  test('words are found where they stand', async () => {
    memory = await home.owner();
    await memory.store('user', 'a', {
      continuity: { open_loops: ['the Lexer leaks memory'], active_concerns: ['lexer'] },
    });
    await memory.store('thread', 'b', { thread_descriptor: { label: 'Rewrite the lexer' } });
    await memory.store('user', 'c', { continuity: { trailing_notes: ['größe_x'] } });
    const search = async (query: string, more: object = {}) =>
      (
        await memory.call<{ results: { subject_id: string; matches: object[] }[] }>('search', {
          query,
          ...more,
        })
      ).body.results;
    expect((await search('LEXER')).map((row) => [row.subject_id, row.matches.length])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect((await search('lexer memory')).map((row) => row.subject_id)).toEqual(['a']);
    expect(
      (await search('lexer', { fields: ['thread_descriptor.label'] })).map((row) => row.subject_id),
    ).toEqual(['b']);
    expect((await search('lexer', { subject_kind: 'user' })).map((row) => row.subject_id)).toEqual(['a']);
    expect((await search('GRÖSSE')).map((row) => row.subject_id)).toEqual([]);
    expect((await search('GRÖßE_X'))[0]?.matches).toEqual([
      { field: 'continuity.trailing_notes', snippet: 'größe_x' },
    ]);
    expect(await search('top_priorities')).toEqual([]);
    expect(await search('!')).toEqual([]);
    await memory.store('user', 'd', {
      continuity: { trailing_notes: [`${'😀'.repeat(61)} 猫 ${'😀'.repeat(90)}`] },
    });
    const [found] = await search('猫');
    expect(found?.subject_id).toBe('d');
    const [{ snippet = '' } = {}] = (found?.matches ?? []) as { snippet?: string }[];
    expect(snippet).toMatch(/^…😀+ 猫 😀+…$/u);
  });
});
