import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { sharedBucket } from './shared-kinds.ts';
import { describeEachCount } from './testing/each-count.ts';
import { TokenBucket } from './token-bucket.ts';

const HOUR = 3_600_000;

const ruleOf = (capacity: number, refill = capacity) => ({ capacity, refill, periodMs: HOUR });

describeEachCount('token bucket', (shared) => {
  function setUp(capacity = 10, refill?: number) {
    const clock = new FakeClock();
    const rule = ruleOf(capacity, refill);
    return { clock, bucket: shared(clock, sharedBucket(clock, rule)) ?? new TokenBucket(clock, rule) };
  }

  test('starts full and refuses the one past its capacity, telling when a unit is back', async () => {
    const { bucket } = setUp(10);
    for (let i = 0; i < 10; i++) expect(await bucket.take('203.0.113.9')).toEqual({ ok: true });
    expect(await bucket.take('203.0.113.9')).toEqual({ ok: false, retryAfterSec: 360 });
  });

  test('keeps keys apart', async () => {
    const { bucket } = setUp(1);
    expect((await bucket.take('a')).ok).toBe(true);
    expect((await bucket.take('a')).ok).toBe(false);
    expect((await bucket.take('b')).ok).toBe(true);
  });

  test('refills continuously, and passes after exactly the stated wait', async () => {
    const { clock, bucket } = setUp(7);
    for (let i = 0; i < 7; i++) await bucket.take('a');
    for (let round = 0; round < 50; round++) {
      const verdict = await bucket.take('a');
      if (verdict.ok) throw new Error('expected a refusal');
      await clock.advance(verdict.retryAfterSec * 1000);
      expect(await bucket.take('a')).toEqual({ ok: true });
      if (round % 3 === 0) await clock.advance(113);
    }
  });

  test('rounds the wait up and never says less than one second', async () => {
    const { clock, bucket } = setUp(3600);
    for (let i = 0; i < 3600; i++) await bucket.take('a');
    await clock.advance(900);
    expect(await bucket.take('a')).toEqual({ ok: false, retryAfterSec: 1 });
    await clock.advance(99);
    expect((await bucket.take('a')).ok).toBe(false);
    await clock.advance(1);
    expect((await bucket.take('a')).ok).toBe(true);
  });

  test('spends a cost as a whole or not at all', async () => {
    const { clock, bucket } = setUp(10);
    expect((await bucket.take('a', 7)).ok).toBe(true);
    expect(await bucket.take('a', 5)).toEqual({ ok: false, retryAfterSec: 720 });
    expect((await bucket.take('a', 3)).ok).toBe(true);
    await clock.advance(HOUR * 5);
    expect((await bucket.take('a', 10)).ok).toBe(true);
    expect((await bucket.take('a')).ok).toBe(false);
  });

  test('refills by its own rate when that differs from the capacity', async () => {
    const { bucket } = setUp(5, 3600);
    for (let i = 0; i < 5; i++) await bucket.take('a');
    expect(await bucket.take('a')).toEqual({ ok: false, retryAfterSec: 1 });
  });

  test('names a day when nothing ever passes', async () => {
    const { bucket } = setUp(0);
    expect(await bucket.take('a')).toEqual({ ok: false, retryAfterSec: 86_400 });
  });

  test('peeks without spending', async () => {
    const { bucket } = setUp(1);
    expect((await bucket.peek('a')).ok).toBe(true);
    expect((await bucket.take('a')).ok).toBe(true);
    expect(await bucket.peek('a')).toEqual({ ok: false, retryAfterSec: 3600 });
  });
});

describe('token bucket in memory', () => {
  test('forgets buckets that are full again, and only those', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, ruleOf(10));
    bucket.take('light');
    bucket.take('heavy', 9);
    expect(bucket.tracked).toBe(2);
    await clock.advance(HOUR / 10);
    expect(bucket.tracked).toBe(1);
    await clock.advance(HOUR);
    expect(bucket.tracked).toBe(0);
  });

  test('stays small while 100,000 keys pass by', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, ruleOf(1000));
    let most = 0;
    for (let i = 0; i < 100_000; i++) {
      bucket.take(`address ${i}`);
      if (i % 100 === 99) await clock.advance(360);
      if (i % 10_000 === 9999) most = Math.max(most, bucket.tracked);
    }
    // A unit is back after 3.6 s, which is 1000 keys at this pace.
    expect(most).toBeLessThanOrEqual(1100);
  }, 60_000);
});
