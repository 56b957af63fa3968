import { describe, expect, expectTypeOf, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import type { Database } from './database.ts';
import { sql } from './sql.ts';
import { column, generated, headed, type NewRowOf, type RowOf, table } from './table.ts';

const notes = table('notes', {
  shelf: column<'left' | 'right'>(),
  number: column<number>(),
  body: column<string | null>(),
  size: column<number>(),
});
/** The same table, as others read it. */
const books = table('notes', {
  shelf: column<string>(),
  number: column<number>(),
  bookTitle: column<string | null>(),
});
const entries = table('entries', {
  id: generated<number>(),
  shelf: column<string>(),
  number: column<number>(),
});

const put = notes.upsert('shelf', 'number');
const shelve = books.upsert('shelf', 'number');
const enter = entries.insertReturning('id');
const noteOf = notes.finds('number');
const append = entries.insertWith(
  'number',
  ({ shelf }) => sql`COALESCE((SELECT MAX(number) FROM entries WHERE shelf = ${shelf}), 0) + 1`,
  'id',
  'number',
);
const withEntries = headed(
  `SELECT ${notes.pick('shelf', 'body').list('n')}, e.id FROM notes n JOIN entries e ON e.shelf = n.shelf`,
);

const ofShelf = (shelf: string) => notes.select`WHERE shelf = ${shelf} ORDER BY number`;
const resize = (size: number, shelf: string) => notes.update({ size })`WHERE shelf = ${shelf}`;

describeEachDatabase('table', (open, { dialect }) => {
  async function openTables(): Promise<Database> {
    const db = await open();
    await db.write(async (tx) => {
      await tx.run(sql`CREATE TABLE notes (shelf text, number bigint, body text, size bigint DEFAULT 7,
        book_title text, PRIMARY KEY (shelf, number))`);
      await (dialect === 'postgres'
        ? tx.run(sql`CREATE TABLE entries (id bigserial PRIMARY KEY, shelf text, number bigint)`)
        : tx.run(sql`CREATE TABLE entries (id integer PRIMARY KEY, shelf text, number bigint)`));
    });
    return db;
  }

  test('what was inserted is selected, column by column', async () => {
    const db = await openTables();
    const row = { shelf: 'left', number: 1, body: null, size: 3 } as const;
    await db.write((tx) => tx.run(notes.insert({ size: 3, body: null, number: 1, shelf: 'left' })));
    expect(await db.read.all(ofShelf('left'))).toEqual([row]);
    expect(await db.read.all(ofShelf('right'))).toEqual([]);
  });

  test('a row is found by one of its columns', async () => {
    const db = await openTables();
    const row = { shelf: 'left', number: 1, body: null, size: 3 } as const;
    await db.write((tx) => tx.run(notes.insert(row)));
    expect(await noteOf(db.read, 1)).toEqual(row);
    expect(await noteOf(db.read, 2)).toBeUndefined();
  });

  test('an upsert overwrites all but the key', async () => {
    const db = await openTables();
    await db.write(async (tx) => {
      await tx.run(put({ shelf: 'left', number: 1, body: 'old', size: 3 }));
      await tx.run(put({ shelf: 'left', number: 2, body: 'other', size: 4 }));
      await tx.run(put({ shelf: 'left', number: 1, body: null, size: 5 }));
    });
    expect(await db.read.all(ofShelf('left'))).toEqual([
      { shelf: 'left', number: 1, body: null, size: 5 },
      { shelf: 'left', number: 2, body: 'other', size: 4 },
    ]);
  });

  test('an insert of what is new leaves what is there', async () => {
    const db = await openTables();
    const row = { shelf: 'left', number: 1, body: 'first', size: 3 } as const;
    const inserted = await db.write(async (tx) => [
      await tx.run(notes.insertNew(row)),
      await tx.run(notes.insertNew({ ...row, body: 'second' })),
    ]);
    expect(inserted).toEqual([1, 0]);
    expect(await db.read.all(ofShelf('left'))).toEqual([row]);
  });

  test('an update of a difference changes what differs, of the columns named', async () => {
    const db = await openTables();
    const before = { shelf: 'left', number: 1, body: 'old', size: 3 } as const;
    const after = { ...before, body: null, size: 4 };
    const update = notes.difference(['number', 'size'], before, after);
    if (!update) throw new Error('the sizes differ');
    await db.write(async (tx) => {
      await tx.run(notes.insert(before));
      await tx.run(update`WHERE shelf = ${'left'}`);
    });
    expect(await db.read.all(ofShelf('left'))).toEqual([{ ...before, size: 4 }]);
    expect(notes.difference(['number'], before, after)).toBeUndefined();
  });

  test('a row is taken out of one that holds more', () => {
    const row = { shelf: 'left', number: 1, body: null, size: 3, more: 'than that' } as const;
    expect(notes.of(row)).toStrictEqual({ shelf: 'left', number: 1, body: null, size: 3 });
  });

  test('an update changes the columns named, of the rows named', async () => {
    const db = await openTables();
    const changed = await db.write(async (tx) => {
      await tx.run(put({ shelf: 'left', number: 1, body: 'a', size: 1 }));
      await tx.run(put({ shelf: 'right', number: 1, body: 'b', size: 2 }));
      await tx.run(notes.update({ size: 9, body: null })`WHERE shelf = ${'right'} AND number = ${1}`);
      return await tx.run(resize(8, 'left'));
    });
    expect(changed).toBe(1);
    expect(await db.read.all(ofShelf('left'))).toEqual([{ shelf: 'left', number: 1, body: 'a', size: 8 }]);
    expect(await db.read.all(ofShelf('right'))).toEqual([{ shelf: 'right', number: 1, body: null, size: 9 }]);
  });

  test('a delete takes the rows named', async () => {
    const db = await openTables();
    await db.write(async (tx) => {
      await tx.run(put({ shelf: 'left', number: 1, body: 'a', size: 1 }));
      await tx.run(put({ shelf: 'left', number: 2, body: 'b', size: 2 }));
      expect(await tx.run(notes.delete`WHERE shelf = ${'left'} AND number > ${1}`)).toBe(1);
    });
    expect(await db.read.all(ofShelf('left'))).toMatchObject([{ number: 1 }]);
  });

  test('some columns: the others are neither read nor inserted', async () => {
    const db = await openTables();
    const some = notes.pick('shelf', 'number');
    await db.write((tx) => tx.run(some.insert({ shelf: 'left', number: 1 })));
    expect(await db.read.all(some.select`WHERE number = ${1}`)).toEqual([{ shelf: 'left', number: 1 }]);
    expect(await db.read.all(ofShelf('left'))).toMatchObject([{ size: 7, body: null }]);
  });

  test('the database works out a column, and returns it with what it generated', async () => {
    const db = await openTables();
    const made = await db.write(async (tx) => [
      await tx.get(append({ shelf: 'left' })),
      await tx.get(append({ shelf: 'left' })),
      await tx.get(append({ shelf: 'right' })),
    ]);
    expect(made).toEqual([
      { id: 1, number: 1 },
      { id: 2, number: 2 },
      { id: 3, number: 1 },
    ]);
  });

  test('a row may spell its columns as code does', async () => {
    const db = await openTables();
    const book = { shelf: 'left', number: 1, bookTitle: 'Waking' };
    await db.write(async (tx) => {
      await tx.run(books.insertNew(book));
      await tx.run(shelve({ ...book, bookTitle: null }));
      await tx.run(books.update({ bookTitle: 'Sleeping' })`WHERE book_title IS NULL`);
    });
    expect(await db.read.all(books.select`WHERE number = ${1}`)).toEqual([
      { ...book, bookTitle: 'Sleeping' },
    ]);
    expect(books.list('b')).toBe('b.shelf, b.number, b.book_title AS "bookTitle"');
  });

  test('rows are read and locked with one text for each database', async () => {
    const db = await openTables();
    await db.write(async (tx) => {
      const held = (number: number) => notes.lock(tx, 'SHARE')`WHERE number = ${number}`;
      await tx.run(put({ shelf: 'left', number: 1, body: null, size: 3 }));
      expect(await tx.get(held(1))).toMatchObject({ number: 1 });
      expect(await tx.get(notes.lock(tx, 'UPDATE')`WHERE number = ${2}`)).toBeUndefined();
      expect(held(1).strings).toBe(held(2).strings);
      const text = dialect === 'postgres' ? ' FOR SHARE' : '';
      expect(held(1).strings.at(-1)).toBe(text);
    });
  });

  test('an insert returns what was generated', async () => {
    const db = await openTables();
    const made = await db.write(async (tx) => [
      await tx.get(enter({ shelf: 'left', number: 5 })),
      await tx.get(enter({ shelf: 'left', number: 6 })),
    ]);
    expect(made).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('a head of its own joins', async () => {
    const db = await openTables();
    await db.write(async (tx) => {
      await tx.run(put({ shelf: 'left', number: 1, body: 'a', size: 1 }));
      await tx.get(append({ shelf: 'left' }));
    });
    expect(await db.read.all(withEntries`WHERE n.number = ${1}`)).toEqual([
      { shelf: 'left', body: 'a', id: 1 },
    ]);
  });
});

describe('table', () => {
  test('a statement has one text, however often it is asked for', () => {
    const row = { shelf: 'left', number: 1, body: null, size: 3 } as const;
    expect(ofShelf('a').strings).toBe(ofShelf('b').strings);
    expect(notes.insert(row).strings).toBe(notes.insert({ ...row, number: 2 }).strings);
    expect(put(row).strings).toBe(put({ ...row, number: 2 }).strings);
    expect(append({ shelf: 'a' }).strings).toBe(append({ shelf: 'b' }).strings);
    expect(resize(1, 'a').strings).toBe(resize(2, 'b').strings);
  });

  test('a column without a value is an error before anything is stored', () => {
    const row: object = { shelf: 'left', number: 1, size: 3 };
    expect(() => notes.insert(row as NewRowOf<typeof notes>)).toThrow('no value for the column body');
  });

  test('its rows have the types of its columns', () => {
    expectTypeOf<RowOf<typeof entries>>().toEqualTypeOf<{
      readonly id: number;
      readonly shelf: string;
      readonly number: number;
    }>();
    expectTypeOf<NewRowOf<typeof entries>>().toEqualTypeOf<{
      readonly shelf: string;
      readonly number: number;
    }>();
    expect(notes.list('n')).toBe('n.shelf, n.number, n.body, n.size');
  });
});
