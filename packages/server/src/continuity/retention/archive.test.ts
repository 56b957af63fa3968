import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { breach, type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

describeEachServer('continuity › archive and delete', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const archive = (id: string, reason = 'finished') =>
    memory.call<{ archived_path: string; detail: string }>('archive', {
      subject_kind: 'user',
      subject_id: id,
      reason,
    });
  const remove = (id: string, flags: object) =>
    memory.call('delete', { subject_kind: 'user', subject_id: id, reason: 'not needed', ...flags });

  test('a short reason is refused; what is not there is a 404', async () => {
    memory = await home.owner();
    expect(breach(await archive('a', 'no'))).toEqual([422, 'string_too_short']);
    expect(refusal(await archive('a'))).toEqual([404, 'Continuity capsule not found']);
  });

  test('a capsule is archived, and listed as such', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const { status, body } = await archive('a');
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        archived_path: 'memory/continuity/archive/user-a-20260401T120000Z.json',
        removed_active_path: 'memory/continuity/user-a.json',
        durable: true,
        latest_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        warnings: [],
      },
    ]);
    const { capsules } = (await memory.list({ include_archived: true })).body;
    expect(capsules).toHaveLength(1);
    expect(capsules[0]).toMatchObject({
      artifact_state: 'archived',
      retention_class: 'archive_recent',
      path: 'memory/continuity/user-a.json',
      archive_path: body.archived_path,
      archived_at: '2026-04-01T12:00:00Z',
    });
    expect((await archive('a')).status).toBe(404);
  });

  test('the snapshot goes on answering, and says that the capsule is archived', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const { body } = await archive('a');
    const read = await memory.read('user', 'a', { allow_fallback: true });
    expect([read.body.source_state, read.body.recovery_warnings, read.body.notices]).toEqual([
      'fallback',
      ['continuity_active_missing', 'continuity_fallback_used'],
      [`continuity_archived:${body.archived_path}`],
    ]);
  });

  test('needs a flag; what is not there is told as missing', async () => {
    memory = await home.owner();
    const none = await remove('a', {});
    expect(breach(none)).toEqual([422, 'value_error']);
    expect(none.text).toContain('at least one delete flag must be true');
    const all = await remove('a', { delete_active: true, delete_archive: true, delete_fallback: true });
    expect([all.status, all.body.deleted_paths, all.body.missing_paths]).toEqual([
      200,
      [],
      ['memory/continuity/user-a.json', 'memory/continuity/fallback/user-a.json'],
    ]);
  });

  test('deletes the active capsule alone, and its snapshot stands in', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const { status, body } = await remove('a', { delete_active: true });
    expect([status, body.deleted_paths]).toEqual([200, ['memory/continuity/user-a.json']]);
    expect((await memory.read('user', 'a', { allow_fallback: true })).body.source_state).toBe('fallback');
  });

  test.each([
    ['patched, then degraded', ['patch', 'revalidate']],
    ['degraded, then patched', ['revalidate', 'patch']],
  ])('the snapshot keeps up with a capsule that was %s', async (_name, order) => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
    const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'patched' }];
    const change = { updated_at: T(2), operations, outcome: 'degrade', reason: 'out of date', signals };
    for (const operation of order) {
      const { status } = await memory.call(operation, { subject_kind: 'user', subject_id: 'a', ...change });
      expect([operation, status]).toEqual([operation, 200]);
    }
    const active = await memory.capsule('user', 'a');
    await remove('a', { delete_active: true });
    const { body } = await memory.read('user', 'a', { allow_fallback: true });
    expect([body.source_state, body.capsule]).toEqual(['fallback', active]);
    expect(body.capsule).toMatchObject({
      updated_at: T(2),
      continuity: { open_loops: ['answer review', 'patched'] },
      capsule_health: { status: 'degraded', reasons: ['out of date'] },
      verification_state: { status: 'self_attested' },
    });
  });

  test('a long reason is cut in the message of a revision, and between characters', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    await remove('a', { delete_active: true, reason: '😀'.repeat(240) });
    const { revisions } = (
      await memory.call<{ revisions: { commit_message: string; reason: string }[] }>('history', {
        subject_kind: 'user',
        subject_id: 'a',
        limit: 1,
      })
    ).body;
    const begin = 'continuity: delete user a - ';
    expect(revisions[0]?.commit_message).toBe(`${begin}${'😀'.repeat(117 - begin.length)}...`);
    expect(revisions[0]?.reason).toBe('😀'.repeat(240));
  });

  test('a NUL in an id or a reason is in nobody’s way', async () => {
    memory = await home.owner();
    await memory.store('user', 'n\0l');
    const { status, body } = await archive('n\0l', 'why\0');
    expect([status, body.archived_path]).toEqual([
      200,
      'memory/continuity/archive/user-n-l-20260401T120000Z.json',
    ]);
    const cold = await memory.ops('continuity_cold_store', { source_archive_path: body.archived_path });
    expect(cold.status).toBe(200);
    const back = await memory.ops('continuity_cold_rehydrate', { source_archive_path: body.archived_path });
    expect(back.status).toBe(200);
    const { capsules } = (await memory.list({ include_archived: true })).body;
    expect(capsules.map((row) => row.subject_id)).toEqual(['n\0l']);
    await memory.store('user', 'n\0l', {}, T(2));
    expect((await remove('n\0l', { delete_active: true, reason: 'so\0so' })).status).toBe(200);
  });

  test('archives of a subject and of no other', async () => {
    memory = await home.owner();
    await memory.store('user', 'rel');
    await memory.store('user', 'rel-2024');
    await archive('rel');
    await archive('rel-2024');
    const { body } = await remove('rel', { delete_archive: true });
    expect(body.deleted_paths).toEqual(['memory/continuity/archive/user-rel-20260401T120000Z.json']);
    const { capsules } = (await memory.list({ include_archived: true })).body;
    expect(capsules.map((row) => row.subject_id)).toEqual(['rel-2024']);
  });

  test('another spelling of the subject is told before its capsule is gone', async () => {
    memory = await home.owner();
    await memory.store('user', 'My User');
    const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
    const calls: [string, object][] = [
      ['compare', { candidate_capsule: baseCapsule('user', 'My User'), signals }],
      ['archive', { reason: 'is over' }],
      ['restore', { from: 'fallback', updated_at: T(2), reason: 'is not' }],
      ['delete', { delete_active: true, reason: 'is over' }],
    ];
    for (const [operation, more] of calls) {
      const { body } = await memory.call(operation, { subject_kind: 'user', subject_id: 'my-user', ...more });
      expect([operation, body.notices]).toEqual([operation, ['continuity_subject_id_alias:My User']]);
    }
    await memory.store('user', 'My User', {}, T(3));
    const same = { subject_kind: 'user', subject_id: 'My User', delete_active: true, reason: 'is over' };
    expect((await memory.call('delete', same)).body).not.toHaveProperty('notices');
  });

  test('of two archives in one second the second is dated one later', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const first = await archive('a');
    await memory.store('user', 'a', {}, T(2));
    const second = await archive('a');
    expect(second.body.archived_path).toBe('memory/continuity/archive/user-a-20260401T120001Z.json');
    const { capsules } = (await memory.list({ include_archived: true })).body;
    expect(capsules.map((row) => row.archive_path)).toEqual([
      first.body.archived_path,
      second.body.archived_path,
    ]);
  });
});
