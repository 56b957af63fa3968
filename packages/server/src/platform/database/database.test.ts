import { describe, expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import type { Database } from './database.ts';
import {
  DatabaseClosedError,
  isUniqueViolation,
  TransactionEndedError,
  TransactionFailedError,
} from './errors.ts';
import { postgresText, sql } from './sql.ts';

interface Tables {
  notes: { id: string; body: string; size: number };
}

async function createNotes(db: Database): Promise<void> {
  await db.write((tx) =>
    tx.run(sql`CREATE TABLE notes (id text PRIMARY KEY, body text NOT NULL, size bigint NOT NULL)`),
  );
}

async function insert(db: Database, id: string, size = 0): Promise<void> {
  await db.write((tx) => tx.run(sql`INSERT INTO notes (id, body, size) VALUES (${id}, ${'text'}, ${size})`));
}

async function ids(db: Database): Promise<string[]> {
  const rows = await db.read.all<{ id: string }>(sql`SELECT id FROM notes ORDER BY id`);
  return rows.map((row) => row.id);
}

const bySize = (size: number) => sql`SELECT id FROM notes WHERE size = ${size} AND body = ${'text'}`;
const oneTwo = () => sql`SELECT ${1}, ${'two'}, 'three'`;

describeEachDatabase('database', (open) => {
  test('reads what was written, with numbers as numbers', async () => {
    const db = await open();
    await createNotes(db);
    const time = Date.UTC(2026, 10, 15);
    await insert(db, 'a', time);
    expect(await db.read.get(sql`SELECT id, size FROM notes WHERE id = ${'a'}`)).toEqual({
      id: 'a',
      size: time,
    });
    expect(await db.read.get(sql`SELECT count(*) AS n, sum(size) AS total FROM notes`)).toEqual({
      n: 1,
      total: time,
    });
    expect(await db.read.get(sql`SELECT id FROM notes WHERE id = ${'b'}`)).toBeUndefined();
  });

  test('a column may have any name, and each row its own values', async () => {
    const db = await open();
    const rows = db.read.all(
      sql`SELECT n AS "it's", -n AS "a b", n * 2 AS "\\" FROM (SELECT 1 AS n UNION ALL SELECT 2) AS two ORDER BY 1`,
    );
    expect(await rows).toEqual([
      { "it's": 1, 'a b': -1, '\\': 2 },
      { "it's": 2, 'a b': -2, '\\': 4 },
    ]);
  });

  test('text with a NUL character is looked up and stored without failing', async () => {
    const db = await open();
    await createNotes(db);
    // What stands before the NUL is another id.
    await insert(db, 'a');
    await insert(db, '');
    expect(await db.read.get(sql`SELECT id FROM notes WHERE id = ${'a\0b'}`)).toBeUndefined();
    expect(await db.read.all(sql`SELECT id FROM notes WHERE id = ${'a\0'}`)).toEqual([]);
    for (const id of ['\0', 'a\0b']) {
      const built = db.read.kysely<Tables>().selectFrom('notes').select('id').where('id', '=', id);
      expect(await built.execute()).toEqual([]);
    }
    await insert(db, 'a\0b');
    expect((await ids(db)).toSorted()).toEqual(['', 'a', 'a\ufffdb']);
    expect(await db.write((tx) => tx.run(sql`DELETE FROM notes WHERE id = ${'a\0c'}`))).toBe(0);
  });

  test('run says how many rows it touched, and RETURNING gives them', async () => {
    const db = await open();
    await createNotes(db);
    await insert(db, 'a');
    await insert(db, 'b');
    const touched = await db.write((tx) => tx.run(sql`UPDATE notes SET size = ${7}`));
    expect(touched).toBe(2);
    const made = await db.write((tx) =>
      tx.get<{ id: string }>(
        sql`INSERT INTO notes (id, body, size) VALUES (${'c'}, ${''}, ${1}) RETURNING id`,
      ),
    );
    expect(made).toEqual({ id: 'c' });
    expect(await ids(db)).toEqual(['a', 'b', 'c']);
  });

  test('built queries work in reads and in writes', async () => {
    const db = await open();
    await createNotes(db);
    const made = await db.write(async (tx) => {
      const notes = tx.kysely<Tables>();
      await notes.insertInto('notes').values({ id: 'a', body: 'x', size: 1 }).execute();
      const updated = await notes
        .updateTable('notes')
        .set({ size: 2 })
        .where('id', '=', 'a')
        .executeTakeFirst();
      expect(updated.numUpdatedRows).toBe(1n);
      return await notes.selectFrom('notes').selectAll().executeTakeFirst();
    });
    expect(made).toEqual({ id: 'a', body: 'x', size: 2 });
    expect(await db.read.kysely<Tables>().selectFrom('notes').select('size').execute()).toEqual([
      { size: 2 },
    ]);
  });

  test('a reader cannot write', async () => {
    const db = await open();
    await createNotes(db);
    await expect(db.read.all(sql`INSERT INTO notes VALUES ('a', '', 0)`)).rejects.toThrow(/read-?only/i);
    await expect(db.read.kysely<Tables>().deleteFrom('notes').execute()).rejects.toThrow(/read-?only/i);
  });

  test('a read beside an open write does not see its rows', async () => {
    const db = await open();
    await createNotes(db);
    const seen = await db.write(async (tx) => {
      await tx.run(sql`INSERT INTO notes VALUES ('a', '', 0)`);
      const inside = await tx.get<{ n: number }>(sql`SELECT count(*) AS n FROM notes`);
      return { inside: inside?.n, outside: (await ids(db)).length };
    });
    expect(seen).toEqual({ inside: 1, outside: 0 });
    expect(await ids(db)).toEqual(['a']);
  });

  test('a throwing writer undoes its own rows and nobody else’s', async () => {
    const db = await open();
    await createNotes(db);
    const names = Array.from({ length: 40 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    const failing = new Set(names.filter((_, index) => index % 3 === 0));
    const results = await Promise.allSettled(
      names.map((name) =>
        db.write(async (tx) => {
          await tx.run(sql`INSERT INTO notes VALUES (${name}, '', 0)`);
          if (failing.has(name)) throw new Error(`no ${name}`);
          return name;
        }),
      ),
    );
    for (const [index, result] of results.entries()) {
      const name = names[index] ?? '';
      if (failing.has(name))
        expect(result).toMatchObject({ status: 'rejected', reason: { message: `no ${name}` } });
      else expect(result).toEqual({ status: 'fulfilled', value: name });
    }
    expect(await ids(db)).toEqual(names.filter((name) => !failing.has(name)));
  });

  test('a failed statement fails its write even when its error is caught', async () => {
    const db = await open();
    await createNotes(db);
    await insert(db, 'a');
    let caught: unknown;
    const swallowing = db.write(async (tx) => {
      await tx.run(sql`INSERT INTO notes VALUES ('b', '', 0)`);
      await tx.run(sql`INSERT INTO notes VALUES ('a', '', 0)`).catch((error: unknown) => (caught = error));
    });
    const continuing = db.write(async (tx) => {
      await tx.run(sql`INSERT INTO notes VALUES ('a', '', 0)`).catch(() => {});
      await tx.run(sql`INSERT INTO notes VALUES ('c', '', 0)`);
    });
    const results = await Promise.allSettled([swallowing, continuing, insert(db, 'd')]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(isUniqueViolation(caught)).toBe(true);
    expect(results[1]).toMatchObject({ reason: expect.any(TransactionFailedError) });
    expect(await ids(db)).toEqual(['a', 'd']);
  });

  test('a tx is dead once its function has settled', async () => {
    const db = await open();
    await createNotes(db);
    const kept = await db.write((tx) => ({ tx }));
    const thrown: unknown[] = [];
    await db
      .write(async (tx) => {
        thrown.push(tx);
        throw new Error('undone');
      })
      .catch(() => {});
    for (const tx of [kept.tx, thrown[0] as typeof kept.tx]) {
      await expect(tx.run(sql`INSERT INTO notes VALUES ('late', '', 0)`)).rejects.toThrow(
        TransactionEndedError,
      );
      await expect(tx.kysely<Tables>().deleteFrom('notes').execute()).rejects.toThrow(TransactionEndedError);
      expect(() => tx.afterCommit(() => {})).toThrow(TransactionEndedError);
    }
    expect(await ids(db)).toEqual([]);
  });

  test('a last step runs in the transaction once its function is through, and can still undo it', async () => {
    const db = await open();
    await createNotes(db);
    const order: string[] = [];
    const write = (name: string, step: () => void = () => {}) =>
      db.write(async (tx) => {
        tx.beforeCommit(async () => {
          order.push(`${name} step`);
          step();
          await tx.run(sql`INSERT INTO notes VALUES (${`${name}2`}, '', 0)`);
        });
        tx.afterCommit(() => order.push(`${name} hook`));
        await tx.run(sql`INSERT INTO notes VALUES (${name}, '', 0)`);
        order.push(`${name} function`);
        return name;
      });
    expect(await write('a')).toBe('a');
    expect(order).toEqual(['a function', 'a step', 'a hook']);
    const undone = write('b', () => {
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    // In one commit with others, each undone by itself.
    const together = await Promise.allSettled([
      write('c'),
      write('d', () => {
        throw new Error('no');
      }),
      write('e'),
    ]);
    expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ids(db)).toEqual(['a', 'a2', 'c', 'c2', 'e', 'e2']);
    expect(order).not.toContain('b hook');
  });

  test('hooks run after the commit, in order, and never for an undone write', async () => {
    const errors: unknown[] = [];
    const db = await open({ onHookError: (error) => errors.push(error) });
    await createNotes(db);
    const order: string[] = [];
    const write = (name: string, after: () => void = () => {}) =>
      db.write(async (tx) => {
        await tx.lock('one after the other');
        tx.afterCommit(() => order.push(`${name}1`));
        await tx.run(sql`INSERT INTO notes VALUES (${name}, '', 0)`);
        tx.afterCommit(() => order.push(`${name}2`));
        after();
        order.push(`${name}0`);
      });
    await write('a');
    expect(order).toEqual(['a0', 'a1', 'a2']);
    const broken = write('b', () => {
      throw new Error('undone');
    });
    const hostile = db.write((tx) => {
      tx.afterCommit(() => {
        throw new Error('hook');
      });
      tx.afterCommit(() => order.push('after the broken hook'));
    });
    const results = await Promise.allSettled([broken, hostile, write('c')]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(order.filter((entry) => entry.startsWith('b'))).toEqual([]);
    expect(order).toContain('after the broken hook');
    expect(order.filter((entry) => entry.startsWith('c'))).toEqual(['c0', 'c1', 'c2']);
    expect(errors).toMatchObject([{ message: 'hook' }]);
  });

  test('a hook sees its own row committed', async () => {
    const db = await open();
    await createNotes(db);
    const seen = new Promise<string[]>((resolve, reject) => {
      const written = db.write(async (tx) => {
        await tx.run(sql`INSERT INTO notes VALUES ('a', '', 0)`);
        tx.afterCommit(() => void ids(db).then(resolve, reject));
      });
      written.catch(reject);
    });
    expect(await seen).toEqual(['a']);
  });

  test('200 concurrent writers of one counter lose nothing', async () => {
    const db = await open();
    await createNotes(db);
    await insert(db, 'counter');
    await Promise.all(
      Array.from({ length: 200 }, () =>
        db.write(async (tx) => {
          await tx.lock('counter');
          const row = await tx.get<{ size: number }>(sql`SELECT size FROM notes WHERE id = 'counter'`);
          await tx.run(sql`UPDATE notes SET size = ${(row?.size ?? 0) + 1} WHERE id = 'counter'`);
        }),
      ),
    );
    expect(await db.read.get(sql`SELECT size FROM notes WHERE id = 'counter'`)).toEqual({ size: 200 });
  });

  test('one template is one prepared statement, whatever its values', async () => {
    const db = await open();
    await createNotes(db);
    expect(bySize(1).strings).toBe(bySize(2).strings);
    if (db.dialect === 'postgres') {
      const prepared = await db.write(async (tx) => {
        for (let size = 0; size < 50; size++) await tx.get(bySize(size));
        return await tx.get(
          sql`SELECT count(*) AS n FROM pg_prepared_statements WHERE statement = ${postgresText(bySize(0).strings).text}`,
        );
      });
      expect(prepared).toEqual({ n: 1 });
    }
    for (let size = 0; size < 50; size++) await insert(db, `n${size}`, size);
    for (let size = 0; size < 50; size++) expect(await db.read.get(bySize(size))).toEqual({ id: `n${size}` });
  });

  test('closing lets accepted writes finish and refuses later ones', async () => {
    const db = await open();
    await createNotes(db);
    const accepted = ['a', 'b', 'c'].map((id) => insert(db, id));
    const closed = db.close();
    await expect(insert(db, 'd')).rejects.toThrow(DatabaseClosedError);
    await Promise.all([...accepted, closed]);
    await expect(ids(db)).rejects.toThrow(DatabaseClosedError);
  });
});

describe('sql', () => {
  test('numbers its placeholders for PostgreSQL and is named once', () => {
    expect(postgresText(oneTwo().strings).text).toBe("SELECT $1, $2, 'three'");
    expect(postgresText(oneTwo().strings)).toBe(postgresText(oneTwo().strings));
    expect(oneTwo().values).toEqual([1, 'two']);
  });
});
