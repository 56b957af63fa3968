import { expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import { MemoryBus } from '../bus/memory-bus.ts';
import { createJobs, gate, openStore } from './testing/job-harness.ts';

/** The clock of the other stands still: it finds nothing by looking around. */
describeEachDatabase('jobs › of which there are too many for one node', (open, { location }) => {
  async function twoNodes(hasOthers = true) {
    const at = await location();
    const bus = new MemoryBus((error) => {
      throw error;
    });
    const told: string[] = [];
    bus.subscribe('jobs.overflow', (hint) => told.push(hint));
    const node = async () =>
      createJobs(await openStore(open, at), { isAlone: false, bus, hasOthers: () => hasOthers });
    const [here, there] = [await node(), await node()];
    const finish = gate();
    const began: string[] = [];
    const define = (concurrency: number, perGroup?: number) => {
      for (const [name, { jobs }] of Object.entries({ here, there })) {
        jobs.define<string>('work', {
          concurrency,
          ...(perGroup !== undefined && { perGroup }),
          handler: async ({ payload }) => {
            began.push(`${payload} ${name}`);
            if (payload === 'long') await finish.opened;
          },
        });
      }
    };
    const later = async () => {
      await here.clock.advance(100);
      return began;
    };
    const stop = async () => {
      finish.open();
      await Promise.all([here.jobs.stop(), there.jobs.stop()]);
    };
    return { here, there, told, began, later, define, stop };
  }

  test('one that has a free place begins at once what another has none for', async () => {
    const { here, there, began, later, define, stop } = await twoNodes();
    define(1);
    await there.jobs.start();
    await here.jobs.start();
    await here.enqueue('work', 'long');
    await expect.poll(() => began).toEqual(['long here']);
    await here.enqueue('work', 'next');
    await expect.poll(later).toEqual(['long here', 'next there']);
    await stop();
  });

  test('nobody is told of what can be begun here, of what is due later, or where there is nobody', async () => {
    const { here, told, began, define, stop } = await twoNodes();
    define(8);
    await here.jobs.start();
    for (const name of ['a', 'b', 'c']) await here.enqueue('work', name);
    await here.enqueue('work', 'later', { dueAt: here.clock.now() + 60_000 });
    await expect.poll(() => began.length).toBe(3);
    expect(told).toEqual([]);
    await stop();

    const alone = await twoNodes(false);
    alone.define(1);
    await alone.here.jobs.start();
    for (const name of ['long', 'a', 'b']) await alone.here.enqueue('work', name);
    await expect.poll(() => alone.began).toEqual(['long here']);
    expect(alone.told).toEqual([]);
    await alone.stop();
  });

  test('what comes within a tenth of a second is told together', async () => {
    const { here, told, began, define, stop } = await twoNodes();
    define(1);
    await here.jobs.start();
    await here.enqueue('work', 'long', { group: 'a' });
    await expect.poll(() => began).toEqual(['long here']);
    await expect
      .poll(async () => {
        await here.clock.advance(100);
        return told.length;
      })
      .toBeGreaterThan(0);
    await here.clock.advance(100);
    told.length = 0;
    for (const group of ['b', 'c', 'd', 'b', 'c']) await here.enqueue('work', `of ${group}`, { group });
    expect(told).toEqual(['[["work","b"]]']);
    await here.clock.advance(100);
    expect(told).toEqual(['[["work","b"]]', '[["work","c"],["work","d"],["work","b"]]']);
    await stop();
  });

  test('what a group may hold on all nodes together is told nobody when it is used up', async () => {
    const { here, told, began, define, stop } = await twoNodes();
    define(8, 1);
    await here.jobs.start();
    await here.enqueue('work', 'long', { group: 'a' });
    await expect.poll(() => began).toEqual(['long here']);
    await here.enqueue('work', 'next', { group: 'a' });
    await here.enqueue('work', 'other', { group: 'b' });
    await expect.poll(() => began).toEqual(['long here', 'other here']);
    expect(told).toEqual([]);
    await stop();
  });

  test('one that stops passes on what it had no time for, and what is still stored there', async () => {
    const { here, there, began, later, define, stop } = await twoNodes();
    define(1);
    await there.jobs.start();
    await here.jobs.start();
    await here.enqueue('work', 'long');
    await expect.poll(() => began).toEqual(['long here']);
    const stopped = here.jobs.stop(1_000);
    await here.enqueue('work', 'late');
    await expect.poll(later).toContain('late there');
    await here.clock.advance(1_000);
    await stopped;
    await expect.poll(later).toContain('long there');
    await stop();
  });
});
