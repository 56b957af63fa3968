import { expect, test } from 'vitest';
import type { Reader } from '../platform/database/database.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { OwnerBudget } from './owner-budget.ts';

test('nodes that count for themselves stay within the limit together, and use all of it', async () => {
  const clock = new FakeClock();
  let stored = 0;
  let looks = 0;
  const count = async (): Promise<number> => {
    looks += 1;
    return stored;
  };
  const nodes = [1, 2, 3].map(() => {
    const budget = new OwnerBudget(clock, { kind: 'things', limit: 1000, setting: 'A_SETTING' }, () => 3);
    budget.add(count);
    return budget;
  });
  const nothing = {} as Reader;
  let refused = 0;
  for (let turn = 0; refused < nodes.length; turn++) {
    const told = await nodes[turn % nodes.length]?.take(nothing, 'ann', 1);
    if (told === undefined) stored += 1;
    else refused += 1;
  }
  expect(stored).toBe(1000);
  // Near the limit they look again and again, far from it seldom.
  expect(looks).toBeLessThan(100);
});
