import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { ask, freshDatabase, freshTables, missingPostgres } from '@parley/server/testing/databases';
import { startPgBouncer } from '@parley/server/testing/pgbouncer';
import { startServer } from '@parley/server/testing/start-server';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Finished, Terminal } from './testing/run-parley.ts';

const missing = missingPostgres();
const pgbouncer = inject('pgbouncer');
const clockOff = new URL('../../../torture/stand/clock-off.mjs', import.meta.url).href;
const title = 'commands on a store in PostgreSQL';

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  const parent = mkdtempSync(join(tmpdir(), 'parley-postgres-'));
  const dataDir = join(parent, 'data');
  const file = join(parent, 'copy.dump');
  let url: string;
  let key: string;

  beforeAll(async () => {
    const place = await freshTables();
    cleanups.push(() => place.remove());
    url = place.at.url;
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    rmSync(parent, { recursive: true, force: true });
  });

  const emptyDatabase = async (): Promise<string> => {
    const place = await freshDatabase();
    cleanups.push(() => place.remove());
    return place.at.url;
  };
  async function parley(
    args: readonly string[],
    at = url,
    more: Record<string, string> = {},
  ): Promise<Finished> {
    const terminal = new Terminal({ PARLEY_DATABASE_URL: at, ...more });
    try {
      return await terminal.run(args);
    } finally {
      terminal.remove();
    }
  }

  test('nodes lists who serves it', async () => {
    expect(await parley(['nodes'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('no server uses') as string,
    });
    const server = await startServer({
      databaseUrl: url,
      dataDir,
      nodeUrl: 'http://pier-1:7330',
      rateLimits: false,
    });
    key = (await new RoomClient(server).people.agent()).key;
    const listed = await parley(['nodes', '--json']);
    expect(JSON.parse(listed.stdout)).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      url: 'http://pier-1:7330',
      version: expect.any(String) as string,
      state: 'up',
      started: expect.any(String) as string,
      seen: expect.any(String) as string,
    });
    expect((await parley(['nodes'])).stdout).toMatch(/^[0-9a-f]{16}\thttp:\/\/pier-1:7330\tup\t/);
    // By the clock of the database, which nodes go by too: that of this machine may be wrong.
    const fast = { NODE_OPTIONS: `--import ${clockOff}`, TORTURE_CLOCK_OFF_MS: '300000' };
    expect((await parley(['nodes'], url, fast)).stdout).toContain('\tup\t');
    const inUse = [1, expect.stringContaining('the database is in use by a server')];
    const copy = join(parent, 'in-use.dump');
    expect((await parley(['backup', copy])).code).toBe(0);
    const restored = await parley(['restore', copy]);
    expect([restored.code, restored.stderr]).toEqual(inUse);
    rmSync(copy);
    await server.close();
    expect((await parley(['nodes'])).stdout).toBe('');
  });

  test('backup makes a dump of it, and restore puts that into an empty database', async () => {
    const made = await parley(['backup', file, '--with-key', '--data-dir', dataDir]);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toContain(`is copied to ${file}`);
    expect([statSync(file).mode & 0o777, statSync(`${file}.key`).mode & 0o777]).toEqual([0o600, 0o600]);
    expect(readdirSync(parent).toSorted()).toEqual(['copy.dump', 'copy.dump.key', 'data']);
    const again = await parley(['backup', file, '--data-dir', dataDir]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);

    const refused = await parley(['restore', file, '--data-dir', dataDir]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the database is not empty')]);
    const empty = await emptyDatabase();
    const other = join(parent, 'other');
    const restored = await parley(['restore', file, '--with-key', '--data-dir', other], empty);
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    expect(readFileSync(join(other, 'parley.key'))).toEqual(readFileSync(join(dataDir, 'parley.key')));
    expect(await ask(empty, 'SELECT id FROM nodes UNION SELECT id FROM clusters')).toEqual([]);
    const server = await startServer({ databaseUrl: empty, dataDir: other, rateLimits: false });
    await new RoomClient(server).people.login(key);
    await server.close();
  }, 30_000);

  test.skipIf('missing' in pgbouncer)(
    `where a PgBouncer lends connections by transaction, all of them go past it${'missing' in pgbouncer ? ` (not available: ${pgbouncer.missing})` : ''}`,
    async () => {
      if ('missing' in pgbouncer) return;
      const empty = await emptyDatabase();
      const pooler = await startPgBouncer(pgbouncer.program, url, 3);
      cleanups.push(() => pooler.stop());
      const through = (args: readonly string[], direct: string) =>
        parley(args, pooler.url(direct), { PARLEY_DATABASE_DIRECT_URL: direct });
      expect((await through(['nodes'], url)).code).toBe(0);
      expect((await through(['invite'], url)).stdout).not.toBe('');
      const copy = join(parent, 'pooled.dump');
      expect((await through(['backup', copy], url)).code).toBe(0);
      expect((await through(['restore', copy], empty)).code).toBe(0);
      // Nothing that a command held is held by the pooler now.
      expect(
        await ask(
          empty,
          `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database())`,
        ),
      ).toEqual([]);
      // Told where to go on the command line, it does not go where variables lead.
      const other = await emptyDatabase();
      const named = await through(['nodes', '--database-url', other], url);
      expect([named.code, named.stderr]).toEqual([0, expect.stringContaining('no server uses')]);
      const plain = await parley(['nodes'], pooler.url(url));
      expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('PARLEY_DATABASE_DIRECT_URL')]);
    },
    60_000,
  );

  test('one whose user may make no tables, or that is not there, is told of with what to do', async () => {
    const empty = await emptyDatabase();
    await ask(empty, 'REVOKE ALL ON SCHEMA public FROM PUBLIC');
    const name = `weak_${new URL(empty).pathname.slice(1)}`;
    await ask(empty, `CREATE ROLE ${name} LOGIN`);
    cleanups.push(async () => {
      await ask(empty, `DROP OWNED BY ${name}`);
      await ask(empty, `DROP ROLE ${name}`);
    });
    const weak = new URL(empty);
    weak.username = name;
    const folder = join(parent, 'file');
    await (await startServer({ dataDir: folder, rateLimits: false })).close();
    // Sees no schema at all, then one in which it may make nothing.
    for (const granted of ['SELECT 1', `GRANT USAGE ON SCHEMA public TO ${name}`]) {
      await ask(empty, granted);
      const refused = await parley(['migrate', '--data-dir', folder], '', { PARLEY_MIGRATE_TO: weak.href });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('GRANT CREATE')]);
    }
    for (const args of [
      ['backup', join(parent, 'none.dump')],
      ['restore', file],
    ]) {
      const nowhere = await parley(args, 'postgres://parley@127.0.0.1:1/parley');
      expect([nowhere.code, nowhere.stderr]).toEqual([
        1,
        expect.stringContaining('database_url cannot be used'),
      ]);
    }
  }, 60_000);

  test('a file that is no dump, or none, is refused', async () => {
    const empty = await emptyDatabase();
    const none = await parley(['restore', join(parent, 'none')], empty);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no file')]);
    writeFileSync(join(parent, 'letter'), 'to the harbour master');
    const letter = await parley(['restore', join(parent, 'letter')], empty);
    expect([letter.code, letter.stderr]).toEqual([1, expect.stringContaining('is no backup of a store')]);
    const unstored = await parley(['backup', join(parent, 'nothing.dump')], empty);
    expect([unstored.code, unstored.stderr]).toEqual([
      1,
      expect.stringContaining('there is no store in that'),
    ]);
    expect(existsSync(join(parent, 'nothing.dump'))).toBe(false);
  }, 30_000);

  test('migrate copies a file into it, and says what comes next', async () => {
    const folder = join(parent, 'small');
    const small = await startServer({ dataDir: folder, rateLimits: false });
    const agent = await new RoomClient(small).people.agent();
    const empty = await emptyDatabase();
    const terminal = new Terminal({ PARLEY_MIGRATE_TO: empty });
    const migrate = (...more: string[]) => terminal.run(['migrate', '--data-dir', folder, ...more]);
    const running = await migrate();
    expect(running.stderr).toBe('');
    expect(running.stdout).toContain('stop it, and run this again');
    const early = await parley(['backup', join(parent, 'early.dump')], empty);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('an unfinished copy')]);
    await small.close();
    const done = await migrate('--json');
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(JSON.parse(done.stdout)).toMatchObject({
      finished: true,
      kept_rows: expect.any(Number) as number,
    });
    const twice = await migrate();
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('the target is not empty')]);
    const nowhere = await migrate('--to', 'postgres://parley@127.0.0.1:1/parley');
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('cannot be used')]);
    expect(await migrate('--to', 'mysql://x')).toMatchObject({ code: 2 });
    terminal.remove();
    const server = await startServer({ databaseUrl: empty, dataDir: folder, rateLimits: false });
    await new RoomClient(server).people.login(agent.key);
    await server.close();
  }, 60_000);

  test('without the programs of PostgreSQL, backup says what to install', async () => {
    const terminal = new Terminal({ PARLEY_DATABASE_URL: url, PATH: parent });
    const { code, stderr } = await terminal.run(['backup', join(parent, 'x.dump'), '--data-dir', dataDir]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('postgresql-client')]);
    terminal.remove();
  });
});
