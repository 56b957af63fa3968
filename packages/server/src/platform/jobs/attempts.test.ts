import { expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import { sql } from '../database/sql.ts';
import { DeadJobError } from './errors.ts';
import { createJobs, idle, openStore } from './testing/job-harness.ts';

describeEachDatabase('jobs › attempts', (open) => {
  test('a failing job is tried again after its backoff and is dead after the last attempt', async () => {
    const { db, clock, jobs, enqueue } = createJobs(await openStore(open));
    const attempts: { attempt: number; last: boolean; at: number }[] = [];
    const buried: string[] = [];
    const start = clock.now();
    jobs.define('fail', {
      maxAttempts: 3,
      backoff: (attempt) => attempt * 1_000,
      handler: async ({ attempt, lastAttempt }) => {
        attempts.push({ attempt, last: lastAttempt, at: clock.now() - start });
        throw new Error(`failure ${attempt}`);
      },
      onDead: async (_tx, job, error) => void buried.push(`${job.key}: ${error.message}`),
    });
    await jobs.start();
    await enqueue('fail', {}, { key: 'k' });
    for (const [count, wait] of [
      [1, 1_000],
      [2, 2_000],
      [3, 60_000],
    ] as const) {
      await expect.poll(() => attempts).toHaveLength(count);
      await idle(db);
      await clock.advance(wait);
    }
    await expect.poll(() => jobs.dead()).toHaveLength(1);
    expect(attempts).toEqual([
      { attempt: 1, last: false, at: 0 },
      { attempt: 2, last: false, at: 1_000 },
      { attempt: 3, last: true, at: 3_000 },
    ]);
    expect(buried).toEqual(['k: failure 3']);
    expect(await enqueue('fail', {}, { key: 'k', dueAt: clock.now() + 1 })).toBe(true);
    await jobs.stop();
  });

  test('a handler may choose when to run again, or give up at once', async () => {
    const { db, clock, jobs, enqueue, stored } = createJobs(await openStore(open));
    const seen: number[] = [];
    const start = clock.now();
    jobs.define('tick', {
      maxAttempts: 1,
      handler: async (job) => {
        seen.push(clock.now() - start);
        if (seen.length < 3) job.retryAt(clock.now() + 10_000);
      },
    });
    jobs.define('hopeless', {
      handler: async () => {
        throw new DeadJobError('the endpoint is gone');
      },
    });
    await jobs.start();
    await enqueue('tick', {});
    await enqueue('hopeless', {});
    for (const count of [1, 2]) {
      await expect.poll(() => seen).toHaveLength(count);
      await idle(db);
      await clock.advance(10_000);
    }
    await expect.poll(() => stored()).toBe(1);
    expect(seen).toEqual([0, 10_000, 20_000]);
    await expect
      .poll(() => jobs.dead())
      .toMatchObject([{ kind: 'hopeless', attempts: 1, error: 'the endpoint is gone' }]);
    await jobs.stop();
  });

  test('completing with the effect is one transaction', async () => {
    const { db, jobs, enqueue, stored } = createJobs(await openStore(open));
    await db.write((tx) => tx.run(sql`CREATE TABLE effects (n bigint)`));
    let attempts = 0;
    jobs.define<number>('effect', {
      backoff: () => 0,
      handler: async ({ payload }, { complete }) => {
        attempts++;
        await db.write(async (tx) => {
          await tx.run(sql`INSERT INTO effects (n) VALUES (${payload})`);
          await complete(tx);
          if (attempts === 1) throw new Error('after both');
        });
      },
    });
    await jobs.start();
    await enqueue('effect', 7);
    await expect.poll(() => stored()).toBe(0);
    expect(attempts).toBe(2);
    expect(await db.read.all(sql`SELECT n FROM effects`)).toEqual([{ n: 7 }]);
    await jobs.stop();
  });

  test('a job can enqueue its successor under its own key', async () => {
    const { db, clock, jobs, enqueue } = createJobs(await openStore(open));
    const runs: number[] = [];
    jobs.define<number>('every', {
      handler: async (job, { complete }) => {
        runs.push(job.payload);
        await db.write(async (tx) => {
          await complete(tx);
          await jobs.enqueue(tx, 'every', job.payload + 1, { key: 'only', dueAt: job.dueAt + 1_000 });
        });
      },
    });
    await jobs.start();
    await enqueue('every', 1, { key: 'only' });
    for (const count of [1, 2, 3]) {
      await expect.poll(() => runs).toHaveLength(count);
      await idle(db);
      await clock.advance(1_000);
    }
    expect(runs.slice(0, 3)).toEqual([1, 2, 3]);
    await jobs.stop();
  });
});
