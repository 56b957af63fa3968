import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { Limits } from './limits.ts';

describe('limits', () => {
  test('names the limiter that refused, not the ones that passed or were peeked at', async () => {
    const rejected: string[] = [];
    const limits = new Limits({
      clock: new FakeClock(),
      enabled: true,
      onReject: (name) => rejected.push(name),
    });
    const joins = limits.tokenBucket('joins', { capacity: 1, periodMs: 60_000 });
    const sends = limits.slidingWindow('sends', { limit: 2, windowMs: 60_000 });
    await joins.take('a');
    await sends.take('a');
    await joins.peek('a');
    expect(rejected).toEqual([]);
    expect(await joins.take('a')).toEqual({ ok: false, retryAfterSec: 60 });
    expect(rejected).toEqual(['joins']);
    expect(limits.tracked()).toEqual({ joins: 1, sends: 1 });
  });

  test('always passes and remembers nothing when switched off', async () => {
    const rejected: string[] = [];
    const limits = new Limits({
      clock: new FakeClock(),
      enabled: false,
      onReject: (name) => rejected.push(name),
    });
    const joins = limits.tokenBucket('joins', { capacity: 1, periodMs: 60_000 });
    for (let i = 0; i < 50; i++) expect(await joins.take('a')).toEqual({ ok: true });
    expect(limits.tracked()).toEqual({ joins: 0 });
    expect(rejected).toEqual([]);
  });

  test('refuses a second limiter of the same name', () => {
    const limits = new Limits({ clock: new FakeClock(), enabled: true });
    limits.tokenBucket('joins', { capacity: 1, periodMs: 60_000 });
    expect(() => limits.slidingWindow('joins', { limit: 1, windowMs: 1 })).toThrow('named joins');
  });
});
