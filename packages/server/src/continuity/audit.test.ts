import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { baseCapsule, T } from './testing/base-capsule.ts';
import { Memory, type MemoryServer, startMemory } from './testing/memory.ts';

const subject = { subject_kind: 'thread', subject_id: 'Private Thread' };
const PATH = 'memory/continuity/thread-private-thread.json';
const SECRET = 'nobody may read this';
const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
const operations = [{ target: 'continuity.open_loops', action: 'append', value: `${SECRET} either` }];

const capsule = (at: string) =>
  baseCapsule('thread', subject.subject_id, at, {
    thread_descriptor: { label: 'L' },
    continuity: { open_loops: [SECRET] },
  });

describeEachServer('continuity › audit', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });
  const noted = () => home.server.logs.filter(({ event }) => event === 'audit');

  test('one line for each operation that succeeded, and none of what a capsule says', async () => {
    await memory.upsert(capsule(T(1)), { idempotency_key: 'key-1' });
    const calls: readonly (readonly [name: string, body: object])[] = [
      ['patch', { ...subject, updated_at: T(2), operations }],
      ['lifecycle', { ...subject, updated_at: T(3), transition: 'suspend' }],
      ['read', subject],
      ['list', {}],
      ['compare', { ...subject, candidate_capsule: capsule(T(1)), signals }],
      ['revalidate', { ...subject, outcome: 'confirm', signals }],
      ['archive', { ...subject, reason: 'done' }],
    ];
    for (const [name, body] of calls) {
      const { status, text } = await memory.call(name, body);
      if (status !== 200) throw new Error(`${name}: ${text}`);
    }
    const job = {
      source_archive_path: 'memory/continuity/archive/thread-private-thread-20260401T120000Z.json',
    };
    await memory.ops('continuity_cold_store', job);
    await memory.ops('continuity_cold_rehydrate', job);
    await memory.ops('continuity_retention_apply', { source_archive_paths: [job.source_archive_path] });
    await memory.call('delete', { ...subject, reason: 'done', delete_archive: true });
    await memory.call('refresh/plan', {});
    await memory.call('retention/plan', {});
    expect(noted().map(({ operation }) => operation)).toEqual([
      'continuity_upsert',
      'continuity_patch',
      'continuity_lifecycle',
      'continuity_read',
      'continuity_list',
      'continuity_compare',
      'continuity_revalidate',
      'continuity_archive',
      'continuity_cold_store',
      'continuity_cold_rehydrate',
      'continuity_retention_apply',
      'continuity_delete',
      'continuity_refresh_plan',
      'continuity_retention_plan',
    ]);
    expect(noted()[0]).toMatchObject({
      peer: 'self',
      path: PATH,
      created: true,
      updated: false,
      capsule_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      idempotency_key: 'key-1',
    });
    for (const index of [1, 2, 3, 5, 6, 11]) expect(noted()[index]).toMatchObject({ path: PATH });
    expect(home.server.rawLog()).not.toContain(SECRET);
    expect(home.server.rawLog()).not.toContain(memory.key);
  });

  test('what was refused is not noted', async () => {
    const before = noted().length;
    expect((await memory.read('user', 'nobody')).status).toBe(404);
    expect((await memory.call('archive', { ...subject, reason: 'done' })).status).toBe(404);
    expect((await memory.call('read', {})).status).toBe(422);
    const unknown = { subject_kind: 'user', subject_id: 'nobody', from: 1, to: 2 };
    expect((await memory.call('diff', unknown)).status).toBe(404);
    expect((await memory.call('history', { ...unknown, limit: 0 })).status).toBe(422);
    expect(noted()).toHaveLength(before);
  });

  test.each([
    ['each bypass of an admin key is in its line', ['admin:peers'], ['docs'], { admin: true }],
    ['the lines of a plain key tell of none', ['read:files'], ['memory'], {}],
  ])('%s', async (_, scopes, read_namespaces, told) => {
    const owner = await home.owner();
    await owner.store('user', 'a');
    const { body } = await home.people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: owner.key,
      body: { scopes, read_namespaces, write_namespaces: ['docs'] },
    });
    const reader = new Memory(home.people, { id: owner.ownerId, key: body.api_key });
    const before = noted().length;
    const asked = { subject_kind: 'user', subject_id: 'a' };
    const calls: readonly (readonly [name: string, more: object])[] = [
      ['read', {}],
      ['history', {}],
      ['diff', { from: 1, to: 'active' }],
    ];
    for (const [name, more] of calls) {
      expect([name, (await reader.call(name, { ...asked, ...more })).status]).toEqual([name, 200]);
    }
    const lines = noted().slice(before);
    const path = 'memory/continuity/user-a.json';
    expect(lines.map((line) => [line.operation, line.path])).toEqual(
      calls.map(([name]) => [`continuity_${name}`, path]),
    );
    for (const { admin } of lines) expect({ admin }).toEqual(told);
  });
});
