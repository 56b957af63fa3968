import { expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { Tx } from './database.ts';
import { sql } from './sql.ts';
import { WriteBehind } from './write-behind.ts';

describeEachDatabase('write-behind', (open) => {
  const scene = async () => {
    const database = await open();
    await database.write((tx) => tx.run(sql`CREATE TABLE facts (id text PRIMARY KEY, at bigint NOT NULL)`));
    const clock = new FakeClock();
    const batches: string[][] = [];
    const failures: unknown[] = [];
    const broken = { store: false };
    const facts = new WriteBehind<number>({
      database,
      clock,
      everyMs: 5_000,
      onError: (error) => failures.push(error),
      store: async (tx: Tx, batch) => {
        if (broken.store) throw new Error('no room');
        batches.push([...batch.keys()]);
        for (const [id, at] of batch) {
          await tx.run(sql`
            INSERT INTO facts (id, at) VALUES (${id}, ${at}) ON CONFLICT (id) DO UPDATE SET at = excluded.at`);
        }
      },
    });
    const stored = () =>
      database.read.all<{ id: string; at: number }>(sql`SELECT id, at FROM facts ORDER BY id`);
    return { clock, facts, batches, failures, broken, stored };
  };

  test('writes the latest of each, together, when the time is up', async () => {
    const { clock, facts, batches, stored } = await scene();
    facts.note('b', 1);
    facts.note('a', 2);
    facts.note('b', 3);
    await clock.advance(4_999);
    expect(await stored()).toEqual([]);
    await clock.advance(1);
    await expect.poll(stored).toEqual([
      { id: 'a', at: 2 },
      { id: 'b', at: 3 },
    ]);
    expect(batches).toEqual([['a', 'b']]);
  });

  test('shows what is not stored yet, and for a while what just was', async () => {
    const { facts } = await scene();
    facts.note('a', 1);
    expect(facts.latest('a')).toBe(1);
    await facts.write();
    expect(facts.latest('a')).toBe(1);
    await facts.write();
    expect(facts.latest('a')).toBeUndefined();
  });

  test('cuts a long list', async () => {
    const { facts, batches, stored } = await scene();
    for (let at = 0; at < 1_001; at++) facts.note(`f${at}`, at);
    await facts.write();
    expect(batches.map(({ length }) => length)).toEqual([500, 500, 1]);
    expect(await stored()).toHaveLength(1_001);
  });

  test('keeps what could not be written, says so, and closes all the same', async () => {
    const { facts, failures, broken, stored } = await scene();
    broken.store = true;
    facts.note('a', 1);
    await expect(facts.write()).rejects.toThrow('no room');
    await facts.close();
    expect(failures).toHaveLength(1);
    broken.store = false;
    await facts.close();
    expect(await stored()).toEqual([{ id: 'a', at: 1 }]);
  });
});
