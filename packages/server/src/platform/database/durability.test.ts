import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startChild } from '../../testing/child-program.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { sql } from './sql.ts';

const ROUNDS = 4;

describeEachDatabase('database › kill -9', (open, { location }) => {
  test('every acknowledged row is there afterwards, no row is doubled, no write is half there', async () => {
    const at = await location();
    const setup = await open({ at });
    await setup.write(async (tx) => {
      // Without a unique index a doubled row could be stored; the test must be able to see it.
      await tx.run(sql`CREATE TABLE acked (id text NOT NULL, body text NOT NULL)`);
      await tx.run(sql`CREATE TABLE totals (n bigint NOT NULL)`);
      await tx.run(sql`INSERT INTO totals VALUES (0)`);
    });
    await setup.close();

    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const child = await startChild('write-rows', [JSON.stringify(at), `r${round}`, '24']);
      await child.until((line) => Number(line.split('-')[1]) > 200 + 37 * round);
      // A different moment of the commit each time.
      await sleep(round * 3);
      await child.kill();
      acknowledged.push(...child.lines);

      const db = await open({ at });
      const rows = await db.read.all<{ id: string }>(sql`SELECT id FROM acked`);
      const total = await db.read.get<{ n: number }>(sql`SELECT n FROM totals`);
      await db.close();
      const stored = new Set(rows.map((row) => row.id));
      expect(stored.size).toBe(rows.length);
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
      expect(total?.n).toBe(rows.length);
    }
    expect(acknowledged.length).toBeGreaterThan(ROUNDS * 200);
  }, 120_000);
});
