import { expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { DeadJobError } from './errors.ts';
import { createJobs, idle, openStore } from './testing/job-harness.ts';

const DAY = 24 * 3_600_000;
const KEPT = 30 * DAY;

/** A queue whose jobs give up at once. */
const queue = async (db: Database, options: Parameters<typeof createJobs>[1] = { keepDeadMs: KEPT }) => {
  const made = createJobs(db, options);
  made.jobs.define('hopeless', {
    handler: async () => {
      throw new DeadJobError('the endpoint is gone');
    },
  });
  await made.jobs.start();
  const deadNames = async () => (await made.jobs.dead()).map(({ payload }) => payload);
  const die = async (name: string) => {
    await made.enqueue('hopeless', name);
    await expect.poll(() => deadNames()).toContain(name);
    await idle(db);
  };
  return { ...made, deadNames, die };
};
const expectDead = (dead: { deadNames: () => Promise<unknown[]> }, names: string[]) =>
  expect.poll(() => dead.deadNames()).toEqual(names);

describeEachDatabase('jobs › dead jobs', (open) => {
  test('are kept for the time they are given, each from its own death', async () => {
    const db = await openStore(open);
    const dead = await queue(db);
    await dead.die('first');
    await dead.clock.leap(DAY);
    await dead.die('second');
    await dead.clock.leap(KEPT - DAY - 1);
    await idle(db);
    expect(await dead.deadNames()).toEqual(['second', 'first']);
    await dead.clock.leap(1);
    await expectDead(dead, ['second']);
    await idle(db);
    await dead.clock.leap(DAY - 1);
    await idle(db);
    expect(await dead.deadNames()).toEqual(['second']);
    await dead.clock.leap(1);
    await expectDead(dead, []);
    await idle(db);
    expect(await dead.stored()).toBe(0);
    await dead.die('third');
    await dead.clock.leap(KEPT);
    await expectDead(dead, []);
    await dead.jobs.stop();
  });

  test('that died under a longer time go by the one of today', async () => {
    const db = await openStore(open);
    const before = await queue(db);
    await before.die('old');
    await before.jobs.stop();
    const { clock } = before;
    await clock.leap(2 * DAY);
    const now = await queue(db, { clock, keepDeadMs: DAY });
    await expectDead(now, []);
    await now.jobs.stop();
  });

  test('that died before there was such a time go, too', async () => {
    const db = await openStore(open);
    const before = await queue(db, {});
    await before.die('old');
    await before.jobs.stop();
    const { clock } = before;
    const now = await queue(db, { clock, keepDeadMs: DAY });
    expect(await now.deadNames()).toEqual(['old']);
    await clock.leap(DAY);
    await expectDead(now, []);
    await now.jobs.stop();
  });

  test('go even if there are more than one transaction takes, and live ones stay', async () => {
    const db = await openStore(open);
    const dead = await queue(db);
    const { clock } = dead;
    await dead.enqueue('hopeless', 'alive', { dueAt: clock.now() + 2 * KEPT });
    await dead.jobs.stop();
    await db.write(async (tx) => {
      for (let n = 0; n < 1_201; n++) {
        await tx.run(sql`
          INSERT INTO jobs (kind, payload, due_at, wake_at, blocked, created_at, dead_at)
          VALUES ('hopeless', 'null', 0, 0, 0, 0, ${clock.now() - KEPT - n})`);
      }
    });
    await dead.jobs.start();
    await expect.poll(() => dead.stored()).toBe(1);
    await dead.jobs.stop();
  });
});

describeEachServer('jobs › dead jobs of a server', (start) => {
  test('are kept for dead_job_days', async () => {
    const clock = new FakeClock();
    const { context } = await start({ clock, deadJobDays: 2 });
    const { jobs, database } = context;
    const dead = async () => (await jobs.dead()).length;
    jobs.define('hopeless', {
      handler: async () => {
        throw new DeadJobError('the endpoint is gone');
      },
    });
    await database.write((tx) => jobs.enqueue(tx, 'hopeless', null));
    await expect.poll(() => dead()).toBe(1);
    await clock.leap(2 * DAY - 1);
    await idle(database);
    expect(await dead()).toBe(1);
    await clock.leap(1);
    await expect.poll(() => dead()).toBe(0);
  });
});
