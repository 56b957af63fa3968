import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { freshDatabase, freshTables, missingPostgres } from '@parley/server/testing/databases';
import { startServer } from '@parley/server/testing/start-server';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Finished, Terminal } from './testing/run-parley.ts';

const missing = missingPostgres();
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
  async function parley(args: readonly string[], at = url): Promise<Finished> {
    const terminal = new Terminal({ PARLEY_DATABASE_URL: at });
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
    const server = await startServer({ databaseUrl: empty, dataDir: other, rateLimits: false });
    await new RoomClient(server).people.login(key);
    await server.close();
  }, 30_000);

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
