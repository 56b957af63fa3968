import { expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { MemoryBus } from '../bus/memory-bus.ts';
import type { Database } from './database.ts';
import { Remembered } from './remembered.ts';
import { sql } from './sql.ts';

interface Name {
  readonly name: string;
}

const names = (database: Database, clock: FakeClock, most = 100) => {
  let reads = 0;
  const remembered = new Remembered<Name>({ database, clock, tables: ['names'], most });
  return {
    remembered,
    read: (id: string) =>
      remembered.get(id, () => {
        reads += 1;
        return database.read.get<Name>(sql`SELECT name FROM names WHERE id = ${id}`);
      }),
    reads: () => reads,
  };
};

const rename = (database: Database, name: string) =>
  database.write((tx) => tx.run(sql`UPDATE names SET name = ${name} WHERE id = 'a'`));

describeEachDatabase('remembered', (open, { dialect, location }) => {
  const scene = async ({ at, most }: { at?: Awaited<ReturnType<typeof location>>; most?: number } = {}) => {
    const database = await open(at && { at });
    const clock = new FakeClock();
    await database.write(async (tx) => {
      await tx.run(sql`CREATE TABLE IF NOT EXISTS names (id text PRIMARY KEY, name text NOT NULL)`);
      await tx.run(sql`CREATE TABLE IF NOT EXISTS others (id text PRIMARY KEY)`);
      await tx.run(
        sql`INSERT INTO names (id, name) VALUES ('a', 'Ann'), ('b', 'Ben') ON CONFLICT DO NOTHING`,
      );
    });
    return { database, clock, ...names(database, clock, most) };
  };

  test('is read once, and again after a write to its table', async () => {
    const { database, read, reads } = await scene();
    await read('a');
    expect(await read('a')).toEqual({ name: 'Ann' });
    expect(reads()).toBe(1);
    await rename(database, 'Anna');
    expect(await read('a')).toEqual({ name: 'Anna' });
  });

  test('a built statement and one that returns rows count as writes', async () => {
    const { database, read } = await scene();
    await read('a');
    await database.write((tx) =>
      tx
        .kysely<{ names: { id: string; name: string } }>()
        .updateTable('names')
        .set({ name: 'Ada' })
        .where('id', '=', 'a')
        .execute(),
    );
    expect(await read('a')).toEqual({ name: 'Ada' });
    await database.write((tx) => tx.all(sql`DELETE FROM names WHERE id = 'a' RETURNING id`));
    expect(await read('a')).toBeUndefined();
  });

  test('writes to other tables, and writes that are undone, change nothing', async () => {
    const { database, read, reads } = await scene();
    await read('a');
    await database.write((tx) => tx.run(sql`INSERT INTO others (id) VALUES ('x')`));
    const undone = database.write(async (tx) => {
      await tx.run(sql`UPDATE names SET name = 'nobody'`);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(await read('a')).toEqual({ name: 'Ann' });
    expect(reads()).toBe(1);
  });

  test('what is not there is looked for each time', async () => {
    const { database, read } = await scene();
    expect(await read('c')).toBeUndefined();
    await database.write((tx) => tx.run(sql`INSERT INTO names (id, name) VALUES ('c', 'Cem')`));
    expect(await read('c')).toEqual({ name: 'Cem' });
  });

  test('what was read before a commit is not kept after it', async () => {
    const { database, remembered, read } = await scene();
    const old = await remembered.get('a', async () => {
      const row = await database.read.get<Name>(sql`SELECT name FROM names WHERE id = 'a'`);
      await rename(database, 'Anna');
      return row;
    });
    expect(old).toEqual({ name: 'Ann' });
    expect(await read('a')).toEqual({ name: 'Anna' });
  });

  test('is new for the hooks of the write that changed it', async () => {
    const { database, read } = await scene();
    await read('a');
    const seen: Promise<Name | undefined>[] = [];
    await database.write(async (tx) => {
      tx.afterCommit(() => seen.push(read('a')));
      await tx.run(sql`UPDATE names SET name = 'Anna' WHERE id = 'a'`);
    });
    expect(await Promise.all(seen)).toEqual([{ name: 'Anna' }]);
  });

  test('keeps no more than it may', async () => {
    const { read, reads } = await scene({ most: 1 });
    for (const id of ['a', 'b', 'b', 'a']) await read(id);
    expect(reads()).toBe(3);
  });

  // One process owns a SQLite file.
  if (dialect === 'sqlite') return;

  test('what another process wrote is seen after a second', async () => {
    const at = await location();
    const [here, there] = [await scene({ at }), await scene({ at })];
    await here.read('a');
    await rename(there.database, 'Anna');
    await here.clock.advance(999);
    expect(await here.read('a')).toEqual({ name: 'Ann' });
    await here.clock.advance(1);
    expect(await here.read('a')).toEqual({ name: 'Anna' });
  });

  test('and at once where a bus carries hints', async () => {
    const at = await location();
    const bus = new MemoryBus(() => undefined);
    const [here, there] = [await scene({ at }), await scene({ at })];
    here.database.changes.shareOver(bus);
    there.database.changes.shareOver(bus);
    await here.read('a');
    await rename(there.database, 'Anna');
    expect(await here.read('a')).toEqual({ name: 'Anna' });
  });

  test('whoever wrote goes on once the hint is on its way, so that it finds its change at any process', async () => {
    const { database } = await scene({ at: await location() });
    const steps: string[] = [];
    const bus = new MemoryBus(() => undefined);
    bus.sent = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push('sent');
    };
    database.changes.shareOver(bus);
    await rename(database, 'Anna').then(() => steps.push('answered'));
    expect(steps).toEqual(['sent', 'answered']);
  });

  test('a bus that hangs holds up no write for long', async () => {
    const { database, read } = await scene({ at: await location() });
    const bus = new MemoryBus(() => undefined);
    bus.sent = () => new Promise(() => {});
    database.changes.shareOver(bus);
    await rename(database, 'Anna');
    expect(await read('a')).toEqual({ name: 'Anna' });
  });
});
