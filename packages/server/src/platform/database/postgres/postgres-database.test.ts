import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery, type Kysely } from 'kysely';
import { describe, expect, test } from 'vitest';
import { freshPostgres, missingPostgres } from '../../../testing/databases.ts';
import { isAway, isUncertain, LockTimeoutError } from '../errors.ts';
import { migrate } from '../migrations.ts';
import { sql } from '../sql.ts';
import { PostgresDatabase } from './postgres-database.ts';

async function using(work: (db: PostgresDatabase) => Promise<void>): Promise<void> {
  const { at, remove } = await freshPostgres();
  const db = new PostgresDatabase(at.url);
  try {
    await db.write((tx) => tx.run(sql`CREATE TABLE counters (id text PRIMARY KEY, n bigint NOT NULL)`));
    await db.write((tx) => tx.run(sql`INSERT INTO counters VALUES ('a', 0), ('b', 0)`));
    await work(db);
  } finally {
    await db.close();
    await remove();
  }
}

/** The same database, whose `lc_messages` are Czech. */
async function inCzech(url: string): Promise<{ url: string; close: () => void }> {
  const place = new URL(url);
  const { hostname: host, port } = place;
  const server = createServer((near) => {
    const far = connect({ host, port: Number(port) });
    near.pipe(far).on('error', () => near.destroy());
    far.on('data', (chunk) =>
      near.write(Buffer.from(chunk.toString('latin1').replaceAll('SERROR\0', 'SCHYBA\0'), 'latin1')),
    );
    far.on('close', () => near.destroy());
    near.on('error', () => far.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  place.port = String((server.address() as AddressInfo).port);
  return { url: place.href, close: () => server.close() };
}

/** Ends them while this process stands still, and returns how many there were. */
function endSessions(url: string, name: string): number {
  const program = `
    import pg from 'pg';
    const [url, name] = process.argv.slice(1);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rowCount } = await client.query(
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1', [name]);
    console.log(rowCount);
    await client.end();`;
  const args = ['--input-type=module', '--eval', program, url, name];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

function gate(): { promise: Promise<void>; resolve: () => void } {
  let open: (() => void) | undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, resolve: () => open?.() };
}

const missing = missingPostgres();

async function sleepASecond(db: Kysely<unknown>): Promise<void> {
  await db.executeQuery(CompiledQuery.raw('SELECT pg_sleep(1)'));
}

describe.skipIf(missing)(missing ? `PostgreSQL (not available: ${missing})` : 'PostgreSQL', () => {
  test('a write that gets a connection which is gone already is done on another', async () => {
    const { at, remove } = await freshPostgres();
    const url = new URL(at.url);
    url.searchParams.set('application_name', 'about to be gone');
    const db = new PostgresDatabase(url.href);
    try {
      await db.write((tx) => tx.run(sql`CREATE TABLE counters (n bigint NOT NULL)`));
      await Promise.all(Array.from({ length: 4 }, () => db.write((tx) => tx.run(sql`SELECT 1`))));
      // Nothing is heard of it here before the write below takes one of them.
      expect(endSessions(at.url, 'about to be gone')).toBeGreaterThan(1);
      expect(await db.write((tx) => tx.run(sql`INSERT INTO counters VALUES (1)`))).toBe(1);
      expect(await db.read.all(sql`SELECT n FROM counters`)).toEqual([{ n: 1 }]);
    } finally {
      await db.close();
      await remove();
    }
  });

  test('a write whose connection is lost before its commit is run again, and done once', () =>
    using(async (db) => {
      let attempts = 0;
      const changed = await db.write(async (tx) => {
        attempts++;
        const rows = await tx.run(sql`UPDATE counters SET n = n + 1`);
        if (attempts === 1) await tx.run(sql`SELECT pg_terminate_backend(pg_backend_pid())`);
        return rows;
      });
      expect([attempts, changed]).toEqual([2, 2]);
      expect(await db.read.all(sql`SELECT n FROM counters`)).toEqual([{ n: 1 }, { n: 1 }]);
    }));

  test('so is one that finds at its commit that the connection had gone before', () =>
    using(async (db) => {
      let attempts = 0;
      await db.write(async (tx) => {
        attempts++;
        await tx.run(sql`UPDATE counters SET n = n + 1`);
        if (attempts > 1) return;
        const pid = await tx.total(sql`SELECT pg_backend_pid()`);
        await db.read.get(sql`SELECT pg_terminate_backend(${pid}::int)`);
        const there = () => db.read.get(sql`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`);
        await expect.poll(there).toBeUndefined();
        await setImmediate();
        await setImmediate();
      });
      expect(attempts).toBe(2);
      expect(await db.read.all(sql`SELECT n FROM counters`)).toEqual([{ n: 1 }, { n: 1 }]);
    }));

  test('a write that loses its connection every time is refused in the end, and no other', () =>
    using(async (db) => {
      let attempts = 0;
      const lost = db.write(async (tx) => {
        attempts++;
        await tx.run(sql`UPDATE counters SET n = 1`);
        await tx.run(sql`SELECT pg_terminate_backend(pg_backend_pid())`);
      });
      const error: unknown = await lost.catch((told: unknown) => told);
      expect([isAway(error), isUncertain(error)]).toEqual([true, false]);
      expect(attempts).toBeGreaterThan(1);
      expect(await db.read.all(sql`SELECT n FROM counters`)).toEqual([{ n: 0 }, { n: 0 }]);
      expect(await db.write((tx) => tx.run(sql`UPDATE counters SET n = 2`))).toBe(2);
    }));

  test('writes that deadlock are run again until both are done', () =>
    using(async (db) => {
      let attempts = 0;
      let holding = 0;
      const bothHold = gate();
      const add = (first: string, second: string) =>
        db.write(async (tx) => {
          attempts++;
          await tx.run(sql`UPDATE counters SET n = n + 1 WHERE id = ${first}`);
          if (++holding === 2) bothHold.resolve();
          await bothHold.promise;
          await tx.run(sql`UPDATE counters SET n = n + 1 WHERE id = ${second}`);
        });
      await Promise.all([add('a', 'b'), add('b', 'a')]);
      expect(attempts).toBeGreaterThan(2);
      expect(await db.read.all(sql`SELECT n FROM counters`)).toEqual([{ n: 2 }, { n: 2 }]);
    }));

  test('a write that was undone for another is run again whichever of its statements tells of it first', () =>
    using(async (db) => {
      const undone = sql`DO $$ BEGIN RAISE EXCEPTION 'undone' USING ERRCODE = '40001'; END $$`;
      let attempts = 0;
      const written = await db.write(async (tx) => {
        const first = ++attempts === 1 ? tx.run(undone) : tx.run(sql`UPDATE counters SET n = 3`);
        // As through functions that call each other: it is heard of later than the one behind it.
        const deep = first.then(async (count) => await (async () => count)());
        const both = Promise.all([deep, tx.all(sql`SELECT 1`)]);
        // Both answers are there before the first is read.
        void setImmediate().then(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200));
        return (await both)[0];
      });
      expect([written, attempts]).toEqual([2, 2]);
    }));

  test('a lock that others hold for too long fails the write that waits, and no other', () =>
    using(async (db) => {
      const waiting = gate();
      const holding = gate();
      const holder = db.write(async (tx) => {
        await tx.lock('thing', 5_000);
        holding.resolve();
        await waiting.promise;
        return await tx.run(sql`UPDATE counters SET n = 7`);
      });
      await holding.promise;
      const late = db.write((tx) => tx.lock('thing', 50));
      await expect(late).rejects.toBeInstanceOf(LockTimeoutError);
      expect(await db.write((tx) => tx.lock('another', 50))).toBeUndefined();
      waiting.resolve();
      expect(await holder).toBe(2);
    }));

  test('no lock is waited for longer than the operator lets any wait', async () => {
    const { at, remove } = await freshPostgres();
    const patience = { statementMs: 30_000, lockMs: 50, idleInTransactionMs: 10_000 };
    const db = new PostgresDatabase(at.url, { patience });
    await db.write(async (tx) => {
      await tx.lock('thing', 30_000);
      const late = db.write((other) => other.lock('thing', 30_000));
      // PostgreSQL's own word for it: it took none of the thirty seconds that are the write's.
      await expect(late).rejects.toMatchObject({ code: '55P03' });
      await expect(db.write((other) => other.lock('thing', 20))).rejects.toBeInstanceOf(LockTimeoutError);
    });
    await db.close();
    await remove();
  });

  test('of statements that are sent together the first failure is told, and nothing stays', () =>
    using(async (db) => {
      const told: unknown[] = [];
      const write = db.write(async (tx) => {
        const asked = [
          tx.run(sql`INSERT INTO counters VALUES ('c', 1)`),
          tx.run(sql`INSERT INTO counters VALUES ('a', 1)`),
          tx.run(sql`INSERT INTO counters VALUES ('d', 1)`),
        ];
        told.push(...(await Promise.allSettled(asked)).map((one) => one.status));
        await Promise.all(asked);
      });
      await expect(write).rejects.toMatchObject({ code: '23505' });
      expect(told).toEqual(['fulfilled', 'rejected', 'rejected']);
      expect(await db.read.all(sql`SELECT id FROM counters ORDER BY id`)).toEqual([{ id: 'a' }, { id: 'b' }]);
      expect(await db.write((tx) => tx.run(sql`UPDATE counters SET n = 2`))).toBe(2);
    }));

  test('what a write asked for and did not wait for is part of it all the same', () =>
    using(async (db) => {
      const write = db.write(async (tx) => {
        tx.run(sql`INSERT INTO counters VALUES ('c', 1)`).catch(() => {});
        tx.run(sql`INSERT INTO counters VALUES ('a', 1)`).catch(() => {});
      });
      await expect(write).rejects.toMatchObject({ code: '23505' });
      expect(await db.read.all(sql`SELECT n FROM counters`)).toEqual([{ n: 0 }, { n: 0 }]);
    }));

  test('other failures are not run again', () =>
    using(async (db) => {
      let attempts = 0;
      const failing = db.write(async (tx) => {
        attempts++;
        await tx.run(sql`INSERT INTO counters VALUES ('a', 0)`);
      });
      await expect(failing).rejects.toThrow(/duplicate key/);
      expect(attempts).toBe(1);
    }));

  test('steps of a migration, and whoever waits for them, may take longer than any statement', async () => {
    const { at, remove } = await freshPostgres();
    const patience = { statementMs: 100, lockMs: 100, idleInTransactionMs: 10_000 };
    const nodes = [1, 2].map(() => new PostgresDatabase(at.url, { patience, graceMs: 100 }));
    const modules = [{ module: 'slow', migrations: [{ name: 'slow', up: sleepASecond }] }];
    const taken = await Promise.all(nodes.map((node) => migrate(node, modules, () => 1)));
    expect(taken.flat()).toEqual(['slow/slow']);
    await expect(nodes[0]?.write((tx) => tx.run(sql`SELECT pg_sleep(1)`))).rejects.toThrow(/timeout/);
    await Promise.all(nodes.map((node) => node.close()));
    await remove();
  });

  test('what a commit is refused for is known to be undone, in whatever language it is said', async () => {
    const { at, remove } = await freshPostgres();
    const czech = await inCzech(at.url);
    const db = new PostgresDatabase(czech.url);
    await db.write((tx) =>
      tx.run(sql`CREATE TABLE counters (id text PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)`),
    );
    const twice = db.write((tx) => tx.run(sql`INSERT INTO counters VALUES ('a'), ('a')`));
    const error: unknown = await twice.catch((told: unknown) => told);
    expect(error).toMatchObject({ severity: 'CHYBA', code: '23505' });
    expect(isUncertain(error)).toBe(false);
    await db.close();
    czech.close();
    await remove();
  });
});
