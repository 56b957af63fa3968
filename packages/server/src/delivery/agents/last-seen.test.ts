import { expect, test } from 'vitest';
import { MemoryBus } from '../../platform/bus/memory-bus.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { LastSeen } from './last-seen.ts';

const WHILE = 10_000;
const raise = (error: unknown): never => {
  throw error;
};

describeEachDatabase('delivery › last seen', (open) => {
  /** Two nodes; the time of the one that notes stands still, so that it never writes. */
  const nodes = async (isAlone = false) => {
    const database = await open();
    const clock = new FakeClock();
    const options = { database, bus: new MemoryBus(raise), isAlone, onError: raise };
    const here = new LastSeen({ ...options, clock: new FakeClock() });
    const there = new LastSeen({ ...options, clock });
    const note = async (suffix: string, at: number) => {
      here.note(suffix, at);
      await Promise.resolve();
    };
    return { clock, here, there, note, bus: options.bus };
  };

  test('is the latest of what is stored and what was noted here or elsewhere', async () => {
    const { here, there, note } = await nodes();
    expect([here.latest('a', null), here.latest('a', 5)]).toEqual([null, 5]);
    await note('a', 70);
    expect([here.latest('a', 5), there.latest('a', 5), there.latest('b', 5)]).toEqual([70, 70, 5]);
    expect([here.latest('a', null), there.latest('a', 80)]).toEqual([70, 80]);
  });

  test('is kept as heard until the other node has written it, and no longer', async () => {
    const { clock, there, note } = await nodes();
    const known = () => ['a', 'b', 'c', 'd'].map((suffix) => there.latest(suffix, null));
    await note('a', 1);
    await clock.advance(WHILE);
    await note('b', 2);
    await clock.advance(1);
    await note('c', 3);
    expect(known()).toEqual([1, 2, 3, null]);
    await clock.advance(WHILE + 1);
    await note('d', 4);
    expect(known()).toEqual([null, null, 3, 4]);
  });

  test('is not heard by one that is alone or closed, nor from what is no hint of it', async () => {
    const alone = await nodes(true);
    await alone.note('a', 1);
    expect(alone.there.latest('a', null)).toBe(null);
    const { bus, there, note } = await nodes();
    for (const hint of ['', 'a', '12', 'x a']) bus.publish('delivery.seen', hint);
    await there.close();
    await note('a', 1);
    expect(there.latest('a', null)).toBe(null);
  });
});
