import { describe, expect, test } from 'vitest';
import { PostgresDatabase } from '../platform/database/postgres/postgres-database.ts';
import { freshTables, missingPostgres } from '../testing/databases.ts';
import { startServer } from '../testing/start-server.ts';
import { writeSubject } from './memory-context.ts';

const missing = missingPostgres();
const subject = { kind: 'user', slug: 'a' } as const;

describe('continuity › writing', () => {
  test('a store that refuses the write is a 500 that says what is left', async () => {
    const server = await startServer();
    const { memory } = server.context.continuity.service;
    const failing = (operation: string) =>
      writeSubject(memory, operation, 'owner', subject, () => Promise.reject(new Error('disk full')));
    await expect(failing('upsert')).rejects.toMatchObject({
      status: 500,
      detail: { ok: false, operation: 'upsert', error: { code: 'continuity_persist_commit_failed' } },
    });
    await expect(failing('archive')).rejects.toMatchObject({
      detail: { error: { code: 'continuity_archive_commit_failed' } },
    });
    await expect(failing('delete')).rejects.toMatchObject({
      detail: expect.stringMatching(/^Continuity delete failed: /),
    });
    expect(server.rawLog()).toContain('disk full');
    await server.close();
  });

  test.skipIf(missing)(
    missing ? `PostgreSQL is not available: ${missing}` : 'a subject that others hold for too long is a 409',
    async () => {
      const { at, remove } = await freshTables();
      const server = await startServer({ databaseUrl: at.url });
      const other = new PostgresDatabase(at.url);
      const base = server.context.continuity.service.memory;
      const memory = { ...base, settings: { ...base.settings, lockMs: 50 } };
      await other.write(async (tx) => {
        await tx.lock('continuity:owner:user:a');
        await expect(writeSubject(memory, 'upsert', 'owner', subject, async () => 1)).rejects.toMatchObject({
          status: 409,
          detail: { operation: 'upsert', error: { code: 'continuity_source_lock_timeout' } },
        });
        expect(
          await writeSubject(memory, 'upsert', 'owner', { kind: 'user', slug: 'b' }, async () => 2),
        ).toBe(2);
      });
      expect(await writeSubject(memory, 'upsert', 'owner', subject, async () => 3)).toBe(3);
      await other.close();
      await server.close();
      await remove();
    },
  );
});
