import { expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import type { Database, Tx } from '../database/database.ts';
import { createJobs, gate, openStore } from './testing/job-harness.ts';

describeEachDatabase('jobs › groups', (open, { location }) => {
  test('share the places: one that hangs keeps its own, and no other waits', async () => {
    const { jobs, enqueue, stored } = createJobs(await openStore(open));
    const stuck = gate();
    const log: string[] = [];
    jobs.define<string>('push', {
      concurrency: Number.POSITIVE_INFINITY,
      perGroup: 3,
      handler: async ({ payload, group }) => {
        log.push(payload);
        if (group === 'stuck') await stuck.opened;
      },
    });
    await jobs.start();
    for (let n = 0; n < 5; n++) await enqueue('push', `stuck ${n}`, { group: 'stuck' });
    for (let n = 0; n < 5; n++) await enqueue('push', `quick ${n}`, { group: 'quick' });
    await expect.poll(() => stored()).toBe(5);
    const started = (group: string): string[] => log.filter((entry) => entry.startsWith(group));
    expect(started('quick')).toHaveLength(5);
    expect(started('stuck').toSorted()).toEqual(['stuck 0', 'stuck 1', 'stuck 2']);
    stuck.open();
    await expect.poll(() => stored()).toBe(0);
    expect(started('stuck')).toHaveLength(5);
    await jobs.stop();
  });

  test('hold no more on all nodes together than one group may, in order; what ends lets the next begin', async () => {
    const db = await openStore(open);
    const one = createJobs(db, { isAlone: false });
    const two = createJobs(db, { clock: one.clock, isAlone: false });
    const gates = Array.from({ length: 8 }, () => gate());
    const log: number[] = [];
    for (const { jobs } of [one, two]) {
      jobs.define<number>('push', {
        concurrency: Number.POSITIVE_INFINITY,
        perGroup: 3,
        handler: async ({ payload }) => {
          log.push(payload);
          await gates[payload]?.opened;
        },
      });
      await jobs.start();
    }
    for (let n = 0; n < 8; n++) await (n % 2 === 0 ? one : two).enqueue('push', n, { group: 'owner' });
    for (let ended = 0; ended <= 5; ended++) {
      await expect
        .poll(() => log.toSorted((a, b) => a - b))
        .toEqual(Array.from({ length: ended + 3 }, (_, n) => n));
      await one.clock.advance(1_000);
      expect(log).toHaveLength(ended + 3);
      gates[ended]?.open();
    }
    for (const { open: end } of gates) end();
    await expect.poll(() => one.stored()).toBe(0);
    expect(log).toHaveLength(8);
    await Promise.all([one.jobs.stop(), two.jobs.stop()]);
  });

  test('take turns where the kind has fewer places than they want', async () => {
    const { db, jobs, enqueue, stored } = createJobs(await openStore(open));
    const log: string[] = [];
    jobs.define('push', { concurrency: 1, handler: async ({ group }) => void log.push(group) });
    for (let n = 0; n < 30; n++) await enqueue('push', n, { group: 'much' });
    for (let n = 0; n < 3; n++) await enqueue('push', n, { group: 'little' });
    await jobs.start();
    await expect.poll(() => stored()).toBe(0);
    expect(log.filter((group) => group === 'much')).toHaveLength(30);
    expect(log.lastIndexOf('little')).toBeLessThan(10);
    await jobs.stop();
    await db.close();
  });

  test('wait for their time each, and are found by the next start', async () => {
    const at = await location();
    const before = createJobs(await openStore(open, at));
    before.record('push');
    const { clock } = before;
    await before.enqueue('push', 'a', { group: 'a', dueAt: clock.now() + 1_000 });
    await before.enqueue('push', 'b', { group: 'b', dueAt: clock.now() + 2_000 });
    const { jobs, ran, record } = createJobs(await openStore(open, at), { clock });
    record('push');
    await jobs.start();
    // The places of the groups are read before the time moves.
    const later = async (): Promise<unknown[]> => {
      await clock.advance(100);
      return ran;
    };
    await expect.poll(later).toEqual(['a']);
    await clock.advance(2_000);
    await expect.poll(() => ran).toEqual(['a', 'b']);
    await jobs.stop();
  });

  test('a kind may begin its jobs in the transaction of the claim, and drop what is not wanted any more', async () => {
    const { jobs, enqueue, ran, stored } = createJobs(await openStore(open));
    const begun: number[][] = [];
    jobs.define<number>('push', {
      begin: async (_tx, claimed) => {
        begun.push(claimed.map(({ payload }) => payload));
        return claimed.filter(({ payload }) => payload % 2 === 0);
      },
      handler: async ({ payload }) => void ran.push(payload),
    });
    for (let n = 0; n < 6; n++) await enqueue('push', n, { lane: `lane ${n % 3}` });
    await jobs.start();
    await expect.poll(() => stored()).toBe(0);
    expect(new Set(begun.flat())).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(begun[0]).toEqual([0, 1, 2]);
    expect(new Set(ran)).toEqual(new Set([0, 2, 4]));
    await jobs.stop();
  });

  test('an attempt put off in the transaction of its effect counts', async () => {
    const { db, clock, jobs, enqueue, stored } = createJobs(await openStore(open));
    const attempts: number[] = [];
    jobs.define('push', {
      handler: async ({ attempt }, run) => {
        attempts.push(attempt);
        const dueAt = clock.now() + 1_000;
        await db.write((tx) => (attempt < 3 ? run.again(tx, dueAt) : run.complete(tx)));
      },
    });
    await jobs.start();
    await enqueue('push', null);
    for (const count of [1, 2, 3]) {
      await expect.poll(() => attempts).toHaveLength(count);
      await clock.advance(1_000);
    }
    await expect.poll(() => stored()).toBe(0);
    expect(attempts).toEqual([1, 2, 3]);
    await jobs.stop();
  });

  test.each([
    [false, 0],
    [true, 1],
  ])('an attempt that a stop cut short counts: %s', async (interruptedCounts, attempts) => {
    const { db, clock, jobs, enqueue } = createJobs(await openStore(open));
    const running = gate();
    jobs.define('push', {
      interruptedCounts,
      handler: async (_job, { signal }) => {
        running.open();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    await jobs.start();
    await enqueue('push', null);
    await running.opened;
    const stopped = jobs.stop(1_000);
    await clock.advance(1_000);
    await stopped;
    const rows = await db.read
      .kysely<{ jobs: { attempts: number; leased_by: string | null } }>()
      .selectFrom('jobs')
      .select(['attempts', 'leased_by'])
      .execute();
    expect(rows).toEqual([{ attempts, leased_by: null }]);
  });

  test('a job costs a statement to store and one to remove; they are claimed together', async () => {
    const store = await openStore(open);
    const counts = { statements: 0 };
    const { jobs, enqueue, ran, stored } = createJobs(counted(store, counts));
    const held = gate();
    jobs.define('note', {
      concurrency: 100,
      handler: async ({ payload }) => {
        ran.push(payload);
        await held.opened;
      },
    });
    await Promise.all(Array.from({ length: 500 }, (_, n) => enqueue('note', n)));
    expect(counts.statements).toBe(500);
    counts.statements = 0;
    await jobs.start();
    await expect.poll(() => ran).toHaveLength(100);
    // A look at which groups there are, and two claims; and where one process owns the store, the leases before it are void.
    expect(counts.statements).toBe(store.dialect === 'sqlite' ? 4 : 3);
    held.open();
    await expect.poll(() => ran).toHaveLength(500);
    await jobs.stop();
    // A claim takes one job at the least, and the last is followed by a look at what comes next.
    expect(counts.statements).toBeLessThan(2 * 500 + 10);
    expect(await stored()).toBe(0);
  });
});

const STATEMENTS: ReadonlySet<string | symbol> = new Set(['run', 'affects', 'all', 'get', 'exists']);

/** Counts what goes to the store. */
function counted(store: Database, counts: { statements: number }): Database {
  const counting = <Parts extends object>(parts: Parts): Parts =>
    new Proxy(parts, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          if (STATEMENTS.has(name)) counts.statements += 1;
          return Reflect.apply(value, target, args);
        };
      },
    });
  return {
    dialect: store.dialect,
    read: counting(store.read),
    changes: store.changes,
    slow: store.slow,
    write: (fn) => store.write((tx: Tx) => fn(counting(tx))),
    close: () => store.close(),
  };
}
