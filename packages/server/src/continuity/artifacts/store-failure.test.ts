import { beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

const REASON = 'the store did not accept the write; nothing was changed';
const subject = { subject_kind: 'user', subject_id: 'a' };
const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'x' }];

const failure = (operation: string, code: string) => ({
  ok: false,
  operation,
  error: { code, detail: REASON },
});

describeEachServer('continuity › a store that fails', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });

  /** Takes the table of revisions away meanwhile: reading goes on, and nothing can be recorded. */
  const withoutRevisions = async (work: () => Promise<void>): Promise<void> => {
    const { database } = home.server.context;
    await database.write((tx) => tx.run(sql`ALTER TABLE continuity_revisions RENAME TO revisions_away`));
    try {
      await work();
    } finally {
      await database.write((tx) => tx.run(sql`ALTER TABLE revisions_away RENAME TO continuity_revisions`));
    }
  };
  const withoutArtifacts = async (work: () => Promise<void>): Promise<void> => {
    const { database } = home.server.context;
    await database.write((tx) => tx.run(sql`ALTER TABLE continuity_artifacts RENAME TO artifacts_away`));
    try {
      await work();
    } finally {
      await database.write((tx) => tx.run(sql`ALTER TABLE artifacts_away RENAME TO continuity_artifacts`));
    }
  };
  const everything = async () => {
    const all = { include_fallback: true, include_archived: true, include_cold: true };
    return (await memory.list(all)).body.capsules;
  };

  test('what nobody foresaw has one shape, and says nothing of what is inside', async () => {
    await memory.store('user', 'a', { continuity: { open_loops: ['very private'] } });
    await withoutArtifacts(async () => {
      const { status, body } = await memory.read('user', 'a');
      expect(status).toBe(500);
      expect(body).toEqual({
        ok: false,
        operation: 'unhandled',
        error: { code: 'internal_error', detail: 'The server could not handle this request' },
      });
      expect((await memory.list()).body).toEqual(body);
    });
    const told = home.server.logs.filter(({ event }) => event === 'unexpected_error');
    expect(JSON.stringify(told)).toContain('continuity_artifacts');
    expect(home.server.rawLog()).not.toContain(memory.key);
    expect(home.server.rawLog()).not.toContain('very private');
    expect((await memory.read('user', 'a')).status).toBe(200);
  });

  test('a write that cannot be kept leaves everything as it was', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const thread = { subject_kind: 'thread', subject_id: 't' };
    await memory.store('thread', 't', { thread_descriptor: { label: 'L' } });
    const before = await everything();
    const refused: readonly (readonly [name: string, body: object, operation: string])[] = [
      ['upsert', { ...subject, capsule: baseCapsule('user', 'a', T(2)) }, 'upsert'],
      ['patch', { ...subject, updated_at: T(2), operations }, 'patch'],
      ['lifecycle', { ...thread, transition: 'suspend', updated_at: T(2) }, 'lifecycle'],
      ['revalidate', { ...subject, outcome: 'confirm', signals }, 'revalidate'],
      ['restore', { ...subject, from: 'fallback', updated_at: T(2), reason: 'why' }, 'restore'],
      ['refresh/plan', {}, 'refresh_plan'],
      ['retention/plan', {}, 'retention_plan'],
    ];
    await withoutRevisions(async () => {
      for (const [name, body, operation] of refused) {
        expect([name, ...refusal(await memory.call(name, body))]).toEqual([
          name,
          500,
          failure(operation, 'continuity_persist_commit_failed'),
        ]);
      }
      expect(refusal(await memory.call('archive', { ...subject, reason: 'why' }))).toEqual([
        500,
        failure('archive', 'continuity_archive_commit_failed'),
      ]);
      const everyFlag = { delete_active: true, delete_fallback: true, delete_archive: true };
      expect(refusal(await memory.call('delete', { ...subject, reason: 'why', ...everyFlag }))).toEqual([
        500,
        `Continuity delete failed: ${REASON}`,
      ]);
    });
    expect(await everything()).toEqual(before);
    expect((await memory.capsule('user', 'a')).updated_at).toBe(T(1));
  });

  test('cold storage that fails, there and back', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const { body } = await memory.call<{ archived_path: string }>('archive', { ...subject, reason: 'done' });
    const job = { source_archive_path: body.archived_path };
    const archived = await everything();
    await withoutRevisions(async () => {
      expect(refusal(await memory.ops('continuity_cold_store', job))).toEqual([
        500,
        failure('cold_store', 'continuity_cold_store_failed'),
      ]);
    });
    expect(await everything()).toEqual(archived);
    expect((await memory.ops('continuity_cold_store', job)).status).toBe(200);
    const cold = await everything();
    await withoutRevisions(async () => {
      expect(refusal(await memory.ops('continuity_cold_rehydrate', job))).toEqual([
        500,
        failure('cold_rehydrate', 'continuity_cold_rehydrate_failed'),
      ]);
    });
    expect(await everything()).toEqual(cold);
    expect((await memory.ops('continuity_cold_rehydrate', job)).status).toBe(200);
  });

  test('of several archives each is told what became of it', async () => {
    memory = await home.owner();
    const paths: string[] = [];
    for (const id of ['a', 'b']) {
      await memory.store('user', id);
      const request = { subject_kind: 'user', subject_id: id, reason: 'done' };
      paths.push((await memory.call<{ archived_path: string }>('archive', request)).body.archived_path);
    }
    await home.clock.leap(91 * 86_400_000);
    const apply = async () =>
      (await memory.ops('continuity_retention_apply', { source_archive_paths: paths })).body.job_result;
    const failed = (detail: string) => ({
      ok: false,
      processed: 2,
      failed: 2,
      results: paths.map((path) => ({
        source_archive_path: path,
        ok: false,
        status: 'failed_internal',
        detail,
        cold_storage_path: null,
        cold_stub_path: null,
      })),
    });
    await withoutRevisions(async () => expect(await apply()).toMatchObject(failed(REASON)));
    await withoutArtifacts(async () =>
      expect(await apply()).toMatchObject(failed('the store did not answer')),
    );
    expect(await apply()).toMatchObject({ ok: true, cold_stored: 2, failed: 0 });
  });
});
