import { expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import { sql } from '../database/sql.ts';
import { createJobs, openStore, unfinished } from './testing/job-harness.ts';

describeEachDatabase('jobs › lanes', (open) => {
  test('a lane runs one at a time and in order, past failures and death, while other lanes go on', async () => {
    const { db, clock, jobs, enqueue, stored } = createJobs(await openStore(open));
    const log: string[] = [];
    const busy = new Map<string, number>();
    jobs.define<{ lane: string; n: number }>('push', {
      maxAttempts: 2,
      backoff: () => 1_000,
      handler: async ({ payload: { lane, n }, attempt }) => {
        busy.set(lane, (busy.get(lane) ?? 0) + 1);
        await db.read.get(sql`SELECT 1 AS one`);
        if ((busy.get(lane) ?? 0) > 1) log.push(`${lane} overlaps`);
        busy.set(lane, (busy.get(lane) ?? 0) - 1);
        log.push(`${lane}${n}.${attempt}`);
        if (lane === 'a' && n === 1) throw new Error('always fails');
        if (lane === 'a' && n === 2 && attempt === 1) throw new Error('fails once');
      },
    });
    await jobs.start();
    // One after the other within a lane: its order is the order of the commits.
    const fill = async (lane: string): Promise<void> => {
      for (const n of [1, 2, 3]) {
        await enqueue('push', { lane, n }, { lane, key: `${lane}${n}`, dueAt: clock.now() - n });
      }
    };
    await Promise.all([fill('a'), fill('b')]);
    const ofA = (): string[] => log.filter((entry) => entry.startsWith('a'));
    await expect.poll(() => stored()).toBe(3);
    await expect.poll(ofA).not.toEqual([]);
    expect(log.filter((entry) => entry.startsWith('b')).toSorted()).toEqual(['b1.1', 'b2.1', 'b3.1']);
    expect(ofA()).toHaveLength(1);
    for (let step = 0; step < 3; step++) {
      await clock.advance(1_000);
      await expect.poll(() => unfinished(db, clock.now())).toBe(0);
    }
    await expect.poll(() => stored()).toBe(1);
    const lane = (name: string) =>
      log.filter((entry) => entry.startsWith(name)).map((entry) => entry.slice(1));
    expect(lane('a').toSorted()).toEqual(['1.1', '1.2', '2.1', '2.2', '3.1']);
    expect(log.filter((entry) => entry.includes('overlaps'))).toEqual([]);
    expect(await jobs.dead()).toMatchObject([
      { kind: 'push', key: 'a1', attempts: 2, error: 'always fails' },
    ]);
    await jobs.stop();
  });

  test('a long lane keeps its order', async () => {
    const { db, jobs, ran, record, stored } = createJobs(await openStore(open));
    record('push');
    await jobs.start();
    const order = Array.from({ length: 40 }, (_, n) => n);
    for (const n of order) await db.write((tx) => jobs.enqueue(tx, 'push', n, { lane: 'one' }));
    await expect.poll(() => stored()).toBe(0);
    expect(ran).toEqual(order);
    await jobs.stop();
  });

  test('cancelling the head of a lane lets the next one go', async () => {
    const { db, clock, jobs, ran, record, enqueue } = createJobs(await openStore(open));
    record('push');
    await jobs.start();
    await enqueue('push', 'head', { lane: 'one', key: 'head', dueAt: clock.now() + 1_000 });
    await enqueue('push', 'next', { lane: 'one' });
    await db.write((tx) => jobs.cancel(tx, 'push', 'head'));
    await expect.poll(() => ran).toEqual(['next']);
    await jobs.stop();
  });
});
