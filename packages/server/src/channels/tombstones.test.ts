import { HeldSecret } from '../platform/auth/held-secret.ts';
import { describe, expect, test } from 'vitest';
import { Tombstones } from './tombstones.ts';

const DAY = 86_400_000;
const stone = (at: number) => ({ token: new HeldSecret('t'), reason: 'evicted_idle' as const, at });

describe('channel › tombstones', () => {
  test('are at most ten thousand, the oldest dropped first', () => {
    const stones = new Tombstones();
    for (let n = 0; n < 10_001; n++) stones.bury(`channel ${n}`, stone(n));
    expect(stones.find('channel 0', 20_000)).toBeUndefined();
    expect(stones.find('channel 1', 20_000)).toEqual(stone(1));
    expect(stones.find('channel 10000', 20_000)).toEqual(stone(10_000));
  });

  test('are forgotten after a day', () => {
    const stones = new Tombstones();
    stones.bury('old', stone(0));
    stones.bury('young', stone(1_000));
    stones.forgetOld(DAY);
    expect([stones.has('old'), stones.has('young')]).toEqual([false, true]);
    expect(stones.find('young', DAY + 999)).toBeDefined();
    expect(stones.find('young', DAY + 1_000)).toBeUndefined();
  });
});
