import { SqliteSource } from '@parley/server/operator/sqlite-source';
import { openDatabase } from '@parley/server/platform/database/open-database';
import { sql } from '@parley/server/platform/database/sql';
import { RoomAgent, RoomClient } from '@parley/server/rooms/testing/room-client';
import { ask, freshTables, missingPostgres } from '@parley/server/testing/databases';
import { startServer } from '@parley/server/testing/start-server';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

const missing = missingPostgres();
const title = 'migrate, killed in the middle';

/** Who is held up by the test. */
const WAITING = `
  FROM pg_locks JOIN pg_database ON pg_database.oid = database
  WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted AND datname = current_database()`;

/** The table that is copied last of those that have rows. */
function lastOf(file: string): string {
  const source = new SqliteSource(file);
  try {
    const filled = source.tables.filter((table) => (source.rows(table).next().value ?? []).length > 0);
    return filled.at(-1)?.name ?? expect.fail('the store is empty');
  } finally {
    source.close();
  }
}

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('leaves what no server takes for a store, and goes on when it is run again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-migrate-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const place = await freshTables();
    cleanups.push(() => place.remove());
    const { url } = place.at;
    const before = await startServer({ dataDir: folder, rateLimits: false });
    const { a, id: room } = await new RoomClient(before).room();
    await a.send(room, 'said before');
    await before.close();

    // What it copies last waits for the test, as a long table would.
    const last = lastOf(join(folder, 'parley.db'));
    await ask(
      url,
      `CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NEW; END';
       CREATE TRIGGER wait_here BEFORE INSERT ON "${last}" FOR EACH ROW EXECUTE FUNCTION wait_here()`,
    );
    const database = await openDatabase(place.at);
    cleanups.push(() => database.close());
    const terminal = new Terminal({ PARLEY_MIGRATE_TO: url });
    cleanups.push(() => terminal.remove());
    const migrate = ['migrate', '--data-dir', folder, '--json'];
    await database.write(async (tx) => {
      await tx.run(sql`SELECT pg_advisory_xact_lock(4711)`);
      const inTheMiddle = async () => {
        const running = terminal.start(migrate);
        await expect.poll(async () => await ask(url, `SELECT pid ${WAITING}`)).toHaveLength(1);
        return running;
      };
      const cutOff = await inTheMiddle();
      await ask(url, `SELECT pg_terminate_backend(pid) ${WAITING}`);
      const { code, stderr } = await cutOff.finished;
      expect([code, stderr]).toEqual([1, expect.stringMatching(/terminating connection/)]);
      const killed = await inTheMiddle();
      killed.signal('SIGKILL');
      expect((await killed.finished).code).toBeNull();
    });
    await database.close();
    const started = startServer({ dataDir: folder, databaseUrl: url });
    await expect(started).rejects.toThrow(/another store is being copied/);

    const again = await terminal.run(['migrate', '--to', url, '--data-dir', folder, '--json']);
    expect([again.code, again.stderr]).toEqual([0, '']);
    const told = JSON.parse(again.stdout) as { rows: number; kept_rows: number; finished: boolean };
    expect(told.finished).toBe(true);
    expect(told.kept_rows).toBeGreaterThan(0);
    const after = await startServer({ dataDir: folder, databaseUrl: url, rateLimits: false });
    cleanups.push(() => after.close());
    const there = new RoomAgent(new RoomClient(after), a.id, a.apiKey, a.session);
    const { items } = await there.history(room);
    expect(JSON.stringify(items)).toContain('said before');
  }, 90_000);
});
