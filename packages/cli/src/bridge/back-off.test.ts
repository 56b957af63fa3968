import { describe, expect, test } from 'vitest';
import { BackOff, wakeDelay } from './back-off.ts';

describe('how long the bridge stays away', () => {
  const reconnect = { baseDelayMs: 1000, maxDelayMs: 10_000, jitterMs: 250 };

  test('longer each time up to the most, and from the start after a connection that was good', () => {
    const backOff = new BackOff(reconnect, () => 0);
    const next = (times: number): number[] => Array.from({ length: times }, () => backOff.next());
    expect(next(6)).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
    backOff.ended({ livedMs: 29_999, delivered: false });
    expect(next(1)).toEqual([10_000]);
    backOff.ended({ livedMs: 30_000, delivered: false });
    expect(next(2)).toEqual([1000, 2000]);
    backOff.ended({ livedMs: 1, delivered: true });
    expect(backOff.next(5000)).toBe(5000);
    expect(backOff.next(0, 20_000)).toBe(20_000);
    expect(new BackOff(reconnect, () => 0.5).next()).toBe(1125);
  });

  test('at once only one time in a row, until a connection was good', () => {
    const backOff = new BackOff(reconnect, () => 0);
    expect([backOff.again(), backOff.again(), backOff.again()]).toEqual([0, 1000, 2000]);
    backOff.ended({ livedMs: 60_000, delivered: false });
    expect([backOff.again(), backOff.again()]).toEqual([0, 1000]);
  });

  test('a wake that failed waits twice as long each time, up to two minutes', () => {
    expect([1, 2, 3, 6, 7].map((attempts) => wakeDelay(1000, attempts))).toEqual([
      1000, 2000, 4000, 32_000, 32_000,
    ]);
    expect(wakeDelay(60_000, 3)).toBe(120_000);
  });
});
