import { FakeClock } from '@parley/server/testing/fake-clock';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Burst, BurstHold } from './burst-hold.ts';

describe('channel burst', () => {
  let clock: FakeClock;
  let given: Burst[];
  const hold = (silenceMs = 3_000, capMs = 12_000) =>
    new BurstHold(clock, { silenceMs, capMs }, (burst) => void given.push(burst));

  beforeEach(() => {
    clock = new FakeClock();
    given = [];
  });

  test('ends with silence', async () => {
    const burst = hold();
    burst.add('ann', 'broadcast', 'a');
    await clock.advance(2_900);
    burst.add('ann', 'broadcast', 'b');
    await clock.advance(2_900);
    expect(given).toEqual([]);
    await clock.advance(100);
    expect(given).toEqual([{ from: 'ann', kind: 'broadcast', texts: ['a', 'b'] }]);
    await clock.advance(60_000);
    expect(given).toHaveLength(1);
  });

  test('ends at the cap however fast the person writes', async () => {
    const burst = hold();
    for (let second = 0; second < 12; second++) {
      burst.add('ann', 'broadcast', String(second));
      await clock.advance(1_000);
    }
    expect(given.map((each) => each.texts.length)).toEqual([12]);
  });

  test('ends when another person speaks, or the same one to somebody else', () => {
    const burst = hold();
    burst.add('ann', 'broadcast', 'a');
    burst.add('ben', 'broadcast', 'b');
    burst.add('ben', 'dm', 'c');
    expect(given.map((each) => each.texts.join())).toEqual(['a', 'b']);
  });

  test('ends when told, and for a leaver only their own', () => {
    const burst = hold();
    burst.add('ann', 'broadcast', 'a');
    burst.endOf('ben');
    expect(given).toEqual([]);
    burst.endOf('ann');
    expect(given).toHaveLength(1);
    burst.end();
    expect(given).toHaveLength(1);
  });

  test('with no silence time everything is given at once', () => {
    hold(0).add('ann', 'broadcast', 'a');
    expect(given).toEqual([{ from: 'ann', kind: 'broadcast', texts: ['a'] }]);
  });
});
