import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { Reader } from '../database/database.ts';
import { RoughCount } from './rough-count.ts';

test('nodes that count for themselves stay within the limit together, and use all of it', async () => {
  const clock = new FakeClock();
  let stored = 0;
  let looks = 0;
  const count = async (): Promise<number> => {
    looks += 1;
    return stored;
  };
  const nodes = [1, 2, 3].map(() => new RoughCount(clock, count, () => 3));
  const nothing = {} as Reader;
  let refused = 0;
  for (let turn = 0; refused < nodes.length; turn++) {
    const told = await nodes[turn % nodes.length]?.take(nothing, 'ann', 1, 1000);
    if (told === undefined) stored += 1;
    else refused += 1;
  }
  expect(stored).toBe(1000);
  // Near the limit they look again and again, far from it seldom.
  expect(looks).toBeLessThan(100);
});
