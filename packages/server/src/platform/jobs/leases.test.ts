import { expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import { sql } from '../database/sql.ts';
import { LeaseLostError } from './errors.ts';
import type { JobRun } from './job.ts';
import { createJobs, gate, leaseEnd, leased, openStore } from './testing/job-harness.ts';

describeEachDatabase('jobs › leases', (open, { location }) => {
  test('a running job that is cancelled hears of it and can no longer complete', async () => {
    const { db, jobs, enqueue, stored } = createJobs(await openStore(open));
    let outcome: unknown;
    let reason: unknown;
    const running = gate();
    jobs.define('slow', {
      handler: async (_job, { complete, signal }) => {
        running.open();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        reason = signal.reason;
        outcome = await db.write((tx) => complete(tx)).catch((error: unknown) => error);
      },
    });
    await jobs.start();
    await enqueue('slow', 1, { key: 'k' });
    await running.opened;
    await db.write((tx) => jobs.cancel(tx, 'slow', 'k'));
    await expect.poll(() => outcome).toBeInstanceOf(LeaseLostError);
    expect(reason).toBeInstanceOf(LeaseLostError);
    expect(await stored()).toBe(0);
    await jobs.stop();
  });

  test('a running job holds on to its claim with what it writes, as long as it has it', async () => {
    const { db, jobs, enqueue } = createJobs(await openStore(open));
    await db.write((tx) => tx.run(sql`CREATE TABLE effects (what text)`));
    const note = (what: string, hold: JobRun['hold']) =>
      db.write(async (tx) => {
        await tx.run(sql`INSERT INTO effects (what) VALUES (${what})`);
        await hold(tx);
      });
    let refused: unknown;
    jobs.define('long', {
      handler: async (_job, { hold }) => {
        await note('held', hold);
        await db.write((tx) => tx.run(sql`UPDATE jobs SET leased_by = 'another'`));
        refused = await note('lost', hold).catch((error: unknown) => error);
        throw refused;
      },
    });
    await jobs.start();
    await enqueue('long', 1);
    await expect.poll(() => refused).toBeInstanceOf(LeaseLostError);
    expect(await db.read.all(sql`SELECT what FROM effects`)).toEqual([{ what: 'held' }]);
    await jobs.stop();
  });

  test('the lease of a silent holder is taken over, and the old holder cannot complete', async () => {
    const at = await location();
    const first = createJobs(await openStore(open, at));
    const second = createJobs(await openStore(open, at));
    await first.db.write((tx) => tx.run(sql`CREATE TABLE effects (who text)`));
    const stuck = gate();
    const running = gate();
    const firstEnded = gate();
    let refused: unknown;
    first.jobs.define('work', {
      leaseMs: 1_000,
      handler: async (_job, { complete }) => {
        running.open();
        await stuck.opened;
        refused = await first.db
          .write(async (tx) => {
            await tx.run(sql`INSERT INTO effects (who) VALUES ('first')`);
            await complete(tx);
          })
          .catch((error: unknown) => error);
        firstEnded.open();
      },
    });
    second.jobs.define('work', {
      handler: async (job, { complete }) => {
        expect(job.attempt).toBe(2);
        stuck.open();
        await firstEnded.opened;
        await second.db.write(async (tx) => {
          await tx.run(sql`INSERT INTO effects (who) VALUES ('second')`);
          await complete(tx);
        });
      },
    });
    await first.jobs.start();
    await first.enqueue('work', {});
    await running.opened;
    // The first node's clock stands still, so it does not renew.
    await second.jobs.start();
    await second.clock.advance(5_001);
    await expect.poll(() => second.stored()).toBe(0);
    expect(refused).toBeInstanceOf(LeaseLostError);
    expect(await first.db.read.all(sql`SELECT who FROM effects`)).toEqual([{ who: 'second' }]);
    await Promise.all([first.jobs.stop(), second.jobs.stop()]);
  });

  test('work that is one write and is to go on later leaves nothing when another has taken it over', async () => {
    const at = await location();
    const first = createJobs(await openStore(open, at), { isAlone: false });
    const second = createJobs(await openStore(open, at), { isAlone: false });
    await first.db.write((tx) => tx.run(sql`CREATE TABLE effects (who text)`));
    const [running, stuck] = [gate(), gate()];
    const write = first.db.write.bind(first.db);
    let held = 0;
    // It stands still before the write, as a process that was frozen does.
    first.db.write = async (fn) => {
      if (held > 0 && held-- === 1) {
        running.open();
        await stuck.opened;
      }
      return await write(fn);
    };
    const later = first.clock.now() + 3_600_000;
    for (const [who, { jobs }] of Object.entries({ first, second })) {
      jobs.defineWrite('work', async (tx) => {
        await tx.run(sql`INSERT INTO effects (who) VALUES (${who})`);
        return later;
      });
    }
    await first.enqueue('work', {});
    // Its second write is the work, after the claim.
    held = 2;
    await first.jobs.start();
    await running.opened;
    await second.jobs.start();
    await second.clock.advance(35_000);
    const effects = () => first.db.read.all(sql`SELECT who FROM effects`);
    await expect.poll(effects).toEqual([{ who: 'second' }]);
    stuck.open();
    await first.jobs.stop();
    expect(await effects()).toEqual([{ who: 'second' }]);
    expect(await first.db.read.all(sql`SELECT due_at, attempts, leased_by FROM jobs`)).toEqual([
      { due_at: later, attempts: 0, leased_by: null },
    ]);
    await second.jobs.stop();
  });

  test('a handler that outlasts its lease renews it', async () => {
    const at = await location();
    const { db, clock, jobs, enqueue } = createJobs(await openStore(open, at));
    const running = gate();
    const finish = gate();
    let runs = 0;
    jobs.define('long', {
      leaseMs: 3_000,
      handler: async () => {
        runs++;
        running.open();
        await finish.opened;
      },
    });
    await jobs.start();
    await enqueue('long', {});
    await running.opened;
    for (let step = 0; step < 10; step++) {
      const before = await leaseEnd(db);
      await clock.advance(1_000);
      await expect.poll(() => leaseEnd(db)).toBe((before ?? 0) + 1_000);
    }
    finish.open();
    await expect.poll(() => leaseEnd(db)).toBeUndefined();
    expect(runs).toBe(1);
    await jobs.stop();
  });

  test('stopping waits for handlers, and gives back what outlasts the grace', async () => {
    const { db, clock, jobs, ran, record, enqueue } = createJobs(await openStore(open));
    const running = gate();
    const finish = gate();
    let aborted = false;
    jobs.define('quick', {
      handler: async () => {
        running.open();
        await finish.opened;
        ran.push('quick');
      },
    });
    jobs.define('endless', {
      handler: async (_job, { signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted = true;
      },
    });
    record('note');
    await jobs.start();
    await enqueue('quick', {});
    await enqueue('endless', {});
    await running.opened;
    await expect.poll(() => leased(db)).toBe(2);
    const stopped = jobs.stop(3_000);
    await enqueue('note', 'too late');
    finish.open();
    await expect.poll(() => leased(db)).toBe(1);
    expect(aborted).toBe(false);
    await clock.advance(3_000);
    await stopped;
    expect(aborted).toBe(true);
    expect(ran).toEqual(['quick']);
    expect(await db.read.all(sql`SELECT kind, attempts, leased_by FROM jobs ORDER BY kind`)).toEqual([
      { kind: 'endless', attempts: 0, leased_by: null },
      { kind: 'note', attempts: 0, leased_by: null },
    ]);
  });

  test('many jobs on two runners of one store each run once', async () => {
    const at = await location();
    const runners = [createJobs(await openStore(open, at)), createJobs(await openStore(open, at))];
    const counts = new Map<number, number>();
    for (const { db, jobs } of runners) {
      jobs.define<number>('race', {
        concurrency: 7,
        handler: async ({ payload }) => {
          counts.set(payload, (counts.get(payload) ?? 0) + 1);
          await db.read.get(sql`SELECT 1 AS one`);
        },
      });
    }
    const [first, second] = runners;
    if (!first || !second) throw new Error('two runners');
    const numbers = Array.from({ length: 400 }, (_, n) => n);
    await first.jobs.start();
    await second.jobs.start();
    await Promise.all(numbers.map((n) => (n % 2 ? first : second).enqueue('race', n)));
    const later = async (): Promise<number | undefined> => {
      await Promise.all(runners.map(({ clock }) => clock.advance(50)));
      return await first.stored();
    };
    await expect.poll(later).toBe(0);
    expect(counts.size).toBe(400);
    expect([...counts.values()].every((count) => count === 1)).toBe(true);
    await Promise.all(runners.map(({ jobs }) => jobs.stop()));
  });
});
