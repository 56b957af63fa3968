import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NestedWriteError, TransactionEndedError, WriteStalledError } from '../errors.ts';
import { sql } from '../sql.ts';
import { SqliteConnection } from './connection.ts';
import { SqliteDatabase } from './sqlite-database.ts';

describe('group commit', () => {
  let folder: string;
  let db: SqliteDatabase;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
    db = new SqliteDatabase(join(folder, 'test.db'), { stallMs: 40 });
    await db.write(async (tx) => {
      await tx.run(sql`CREATE TABLE parents (id integer PRIMARY KEY)`);
      await tx.run(
        sql`CREATE TABLE rows (id integer PRIMARY KEY, parent integer REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`,
      );
    });
  });

  afterEach(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const insert = (id: number) => db.write((tx) => tx.run(sql`INSERT INTO rows (id) VALUES (${id})`));
  const count = async () => (await db.read.get<{ n: number }>(sql`SELECT count(*) AS n FROM rows`))?.n;

  test('is durable: WAL, with a wait for the disk at every commit', async () => {
    const pragmas = await db.write(async (tx) => ({
      ...(await tx.get<object>(sql`PRAGMA journal_mode`)),
      ...(await tx.get<object>(sql`PRAGMA synchronous`)),
      ...(await tx.get<object>(sql`PRAGMA foreign_keys`)),
    }));
    expect(pragmas).toEqual({ journal_mode: 'wal', synchronous: 2, foreign_keys: 1 });
  });

  test('what was deleted is not left in the file', async () => {
    const file = join(folder, 'test.db');
    const mark = 'wrapped-key-of-a-purged-room';
    const stored = () => {
      const connection = SqliteConnection.openWriter(file);
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      connection.close();
      return readFileSync(file).includes(mark);
    };
    await db.write(async (tx) => {
      await tx.run(sql`CREATE TABLE secrets (id integer PRIMARY KEY, secret text)`);
      await tx.run(sql`INSERT INTO secrets (id, secret) VALUES (1, ${mark}), (2, 'kept')`);
    });
    expect(stored()).toBe(true);
    await db.write((tx) => tx.run(sql`DELETE FROM secrets WHERE id = 1`));
    expect(stored()).toBe(false);
  });

  test('writes asked for in one turn become visible together', async () => {
    const seen = new Set<number | undefined>();
    await Promise.all(
      Array.from({ length: 100 }, (_, id) => insert(id).then(async () => void seen.add(await count()))),
    );
    expect([...seen]).toEqual([100]);
  });

  test('more writers than fit in a batch are all served', async () => {
    await Promise.all(Array.from({ length: 1_000 }, (_, id) => insert(id)));
    expect(await count()).toBe(1_000);
  });

  test('a commit that fails rejects every caller and runs no hook', async () => {
    let hooks = 0;
    const results = await Promise.allSettled([
      db.write(async (tx) => {
        tx.afterCommit(() => hooks++);
        await tx.run(sql`INSERT INTO rows (id) VALUES (1)`);
      }),
      db.write((tx) => tx.run(sql`INSERT INTO rows (id, parent) VALUES (2, 404)`)),
      insert(3),
    ]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(hooks).toBe(0);
    expect(await count()).toBe(0);
    await insert(4);
    expect(await count()).toBe(1);
  });

  test('a write inside a write is refused instead of waiting for itself', async () => {
    await expect(db.write(() => insert(1))).rejects.toThrow(NestedWriteError);
    const late = db.write(async (tx) => {
      await tx.run(sql`INSERT INTO rows (id) VALUES (2)`);
      await insert(3);
    });
    await expect(late).rejects.toThrow(WriteStalledError);
  });

  test('a write function that waits for something else is cut off, and the others go on', async () => {
    let late: Promise<unknown> | undefined;
    let wake: (() => void) | undefined;
    const stalled = db.write(async (tx) => {
      await tx.run(sql`INSERT INTO rows (id) VALUES (1)`);
      await new Promise<void>((resolve) => (wake = resolve));
      late = tx.run(sql`INSERT INTO rows (id) VALUES (2)`);
      await late;
    });
    const results = await Promise.allSettled([stalled, insert(3)]);
    expect(results).toMatchObject([{ reason: expect.any(WriteStalledError) }, { status: 'fulfilled' }]);
    wake?.();
    await Promise.resolve();
    await expect(late).rejects.toThrow(TransactionEndedError);
    expect(await db.read.all(sql`SELECT id FROM rows`)).toEqual([{ id: 3 }]);
  });

  test('a built query with ever new shapes keeps working past the statement cache', async () => {
    await insert(1);
    for (let length = 1; length < 300; length++) {
      const ids = Array.from({ length }, (_, index) => index + 1);
      const rows = await db.read
        .kysely<{ rows: { id: number } }>()
        .selectFrom('rows')
        .select('id')
        .where('id', 'in', ids)
        .execute();
      expect(rows).toEqual([{ id: 1 }]);
    }
  });
});
