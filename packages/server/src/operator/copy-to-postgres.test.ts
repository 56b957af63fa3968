import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DELIVERY_STEPS } from '../discovery/testing/example-delivery-steps.ts';
import { MEMORY_STEPS } from '../discovery/testing/example-memory-steps.ts';
import { runExamples } from '../discovery/testing/example-run.ts';
import { FIRST_STEPS } from '../discovery/testing/example-steps.ts';
import { numericTypes } from '../platform/database/postgres/postgres-database.ts';
import { openSqliteHandle } from '../platform/database/sqlite/binding.ts';
import { RoomClient } from '../rooms/testing/room-client.ts';
import { ask, freshPostgres, freshTables, missingPostgres } from '../testing/databases.ts';
import { HttpClient } from '../testing/http-client.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';
import { copyToPostgres } from './copy-to-postgres.ts';
import { SqliteSource } from './sqlite-source.ts';

const missing = missingPostgres();
const title = 'a store copied to PostgreSQL';

const write = async (server: { url: string }, key: string, path: string, content: string) => {
  const answer = await new HttpClient(server).call('POST', '/v1/write', {
    headers: { authorization: `Bearer ${key}` },
    body: { path, content },
  });
  expect(answer.status, answer.text).toBe(200);
};

const asText = (row: object): string =>
  JSON.stringify(
    Object.entries(row)
      .map(([name, value]) => [name, value instanceof Uint8Array ? [...value] : value])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  ).replaceAll('\\u0000', '\ufffd');

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-copy-'));
  const file = join(dataDir, 'parley.db');
  let keys: { owner: string; room: string; code: string };
  let jobs: number;

  beforeAll(async () => {
    const server = await startServer({ dataDir, rateLimits: false });
    await runExamples(server, [...FIRST_STEPS, ...DELIVERY_STEPS, ...MEMORY_STEPS]);
    const registered = await new HttpClient(server).call<{ api_key: string }>('POST', '/v1/auth/register', {
      body: { email: 'operator@example.com' },
    });
    const owner = registered.body.api_key;
    await new HttpClient(server).call('POST', '/v1/index/rebuild', {
      headers: { authorization: `Bearer ${owner}` },
    });
    for (let turn = 0; turn < 3; turn++) {
      await write(server, owner, `docs/${turn}.md`, `tides of the harbour, anchor ${turn}`);
    }
    await write(
      server,
      owner,
      'docs/1.md',
      'the second text has no such word, yet a lantern and \u0000 nothing',
    );
    const { id: room, code, a } = await new RoomClient(server).room({ topic: 'Sealed talk' });
    await a.send(room, 'a text that is kept under the key of the room');
    keys = { owner, room, code };
    await server.close();
    const handle = openSqliteHandle(file, { readOnly: false });
    handle.exec(`DELETE FROM jobs WHERE id = (SELECT max(id) FROM jobs)`);
    jobs = (handle.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'jobs'`).get() as { seq: number })
      .seq;
    handle.close();
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const found = async (server: { url: string }, word: string): Promise<string[]> => {
    const { body } = await new HttpClient(server).call<{ results: { path: string }[] }>(
      'POST',
      '/v1/search',
      {
        headers: { authorization: `Bearer ${keys.owner}` },
        body: { query: word },
      },
    );
    return body.results.map(({ path }) => path).toSorted();
  };
  const emptyDatabase = async (): Promise<string> => {
    const place = await freshPostgres();
    cleanups.push(() => place.remove());
    return place.at.url;
  };
  const serve = async (options: object): Promise<TestServer> => {
    const server = await startServer({ dataDir, rateLimits: false, ...options });
    cleanups.push(() => server.close());
    return server;
  };
  /** Every row of every table, as text, by statements of the test's own. */
  async function rowsOf(url: string): Promise<Record<string, string[]>> {
    const client = new Client({ connectionString: url, types: numericTypes });
    await client.connect();
    try {
      const rows: Record<string, string[]> = {};
      for (const { name } of tables()) {
        const { rows: all } = await client.query<object>(`SELECT * FROM "${name}"`);
        rows[name] = all.map(asText).toSorted();
      }
      return rows;
    } finally {
      await client.end();
    }
  }
  const tables = () => {
    const source = new SqliteSource(file);
    const list = source.tables.filter(({ name }) => name !== 'knowledge_postings');
    source.close();
    return list;
  };
  function rowsHere(): Record<string, string[]> {
    const handle = openSqliteHandle(file, { readOnly: true });
    const rows = tables().map(({ name }) => {
      const all = handle.prepare(`SELECT * FROM "${name}"`).all() as object[];
      return [name, all.map(asText).toSorted()] as const;
    });
    handle.close();
    return Object.fromEntries(rows);
  }
  test('has every row and number of it, and is served with the same key', async () => {
    const url = await emptyDatabase();
    const before = readFileSync(file);
    const { tables: count, rows, kept, serverPid } = await copyToPostgres({ dataDir, url });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(await rowsOf(url)).toEqual(rowsHere());
    expect({ count, kept, serverPid }).toEqual({ count: tables().length + 1, kept: 0, serverPid: undefined });
    const filled = Object.values(rowsHere()).filter((each) => each.length > 0);
    expect(filled.length).toBeGreaterThan(35);
    expect(rows).toBeGreaterThan(filled.flat().length);

    const here = await startServer({ dataDir, rateLimits: false });
    const words = ['harbour', 'anchor', 'lantern', 'docs', 'tide'];
    const wanted = await Promise.all(words.map((word) => found(here, word)));
    await here.close();
    const there = await serve({ databaseUrl: url });
    expect(await Promise.all(words.map((word) => found(there, word)))).toEqual(wanted);
    expect(wanted.slice(0, 3)).toEqual([
      ['docs/0.md', 'docs/2.md'],
      ['docs/0.md', 'docs/2.md'],
      ['docs/1.md'],
    ]);
    const transcript = await new RoomClient(there).transcript(keys.room, keys.code);
    expect(transcript.text).toContain('a text that is kept under the key of the room');
    const secret = await new HttpClient(there).call<{ webhook_secret: string }>(
      'GET',
      '/v1/auth/webhook-secret',
      {
        headers: { authorization: `Bearer ${keys.owner}` },
      },
    );
    expect(secret).toMatchObject({ status: 200 });
    // A number that was given to a row that is gone is not given again.
    await new RoomClient(there).room({});
    const client = new Client({ connectionString: url, types: numericTypes });
    await client.connect();
    const { rows: sequence } = await client.query<{ last: number }>(
      `SELECT nextval(pg_get_serial_sequence('jobs', 'id')) AS last`,
    );
    await client.end();
    expect(sequence[0]?.last).toBeGreaterThan(jobs);
    await there.close();
  }, 60_000);

  test('is refused where there is anything already, and nothing is changed there', async () => {
    const place = await freshTables();
    cleanups.push(() => place.remove());
    const other = await startServer({ databaseUrl: place.at.url, rateLimits: false });
    await expect(copyToPostgres({ dataDir, url: place.at.url })).rejects.toThrow(
      'another server uses this database',
    );
    await other.close();
    const before = await rowsOf(place.at.url);
    await expect(copyToPostgres({ dataDir, url: place.at.url })).rejects.toThrow(
      /the target is not empty: .*/,
    );
    expect(await rowsOf(place.at.url)).toEqual(before);
  }, 30_000);

  test('broken off half-way, is no store for a server, and goes on where it was', async () => {
    const url = await emptyDatabase();
    const state = { tables: 0 };
    const copying = copyToPostgres({
      dataDir,
      url,
      onTable: (_name, rows) => {
        if (rows > 0 && ++state.tables === 5) throw new Error('the machine was switched off');
      },
    });
    await expect(copying).rejects.toThrow('switched off');
    await expect(startServer({ dataDir, databaseUrl: url })).rejects.toThrow(/another store is being copied/);
    const { kept } = await copyToPostgres({ dataDir, url });
    expect(kept).toBeGreaterThan(0);
    expect(await rowsOf(url)).toEqual(rowsHere());
    await (await serve({ databaseUrl: url })).close();
    await expect(copyToPostgres({ dataDir, url })).rejects.toThrow('the target is not empty');
  }, 30_000);

  test('is refused when it is not what the source holds, and is whole once what was in its way is gone', async () => {
    const url = await emptyDatabase();
    const breaksOff = copyToPostgres({
      dataDir,
      url,
      onTable: () => {
        throw new Error('the machine was switched off');
      },
    });
    await expect(breaksOff).rejects.toThrow('switched off');
    const here = rowsHere();
    const changed = tables().findLast(
      ({ name, columns }) => (here[name] ?? []).length > 0 && columns.includes('created_at'),
    );
    const name = changed?.name ?? expect.fail('no table of that kind');
    await ask(
      url,
      `CREATE FUNCTION other_rows() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN NEW.created_at := NEW.created_at + 1; RETURN NEW; END';
       CREATE TRIGGER other_rows BEFORE INSERT ON "${name}" FOR EACH ROW EXECUTE FUNCTION other_rows()`,
    );
    await expect(copyToPostgres({ dataDir, url })).rejects.toMatchObject({
      reason: 'copy_differs',
      message: expect.stringMatching(
        new RegExp(`^the copy of ${name} is not what the source holds `),
      ) as string,
    });
    await expect(startServer({ dataDir, databaseUrl: url })).rejects.toThrow(/another store is being copied/);
    expect(rowsHere()).toEqual(here);
    await ask(url, `DROP TRIGGER other_rows ON "${name}"`);
    await copyToPostgres({ dataDir, url });
    expect(await rowsOf(url)).toEqual(here);
  }, 30_000);

  test('of a running server is what was there then; a second run brings the rest', async () => {
    const url = await emptyDatabase();
    const server = await startServer({ dataDir, rateLimits: false });
    const first = await copyToPostgres({ dataDir, url });
    expect(first.serverPid).toBe(process.pid);
    await write(server, keys.owner, 'docs/late.md', 'a latecomer');
    await expect(startServer({ databaseUrl: url })).rejects.toThrow(/another store is being copied/);
    await server.close();
    const second = await copyToPostgres({ dataDir, url });
    expect(second.rows).toBeGreaterThan(first.rows);
    expect(second.kept).toBeGreaterThan(50);
    expect(await rowsOf(url)).toEqual(rowsHere());
    const there = await serve({ databaseUrl: url });
    expect(await found(there, 'latecomer')).toEqual(['docs/late.md']);
  }, 30_000);
});
