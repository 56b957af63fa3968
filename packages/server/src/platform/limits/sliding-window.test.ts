import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { sharedWindow } from './shared-kinds.ts';
import { SlidingWindow } from './sliding-window.ts';
import { describeEachCount } from './testing/each-count.ts';

describeEachCount('sliding window', (shared) => {
  function setUp(limit = 3) {
    const clock = new FakeClock();
    const rule = { limit, windowMs: 60_000 };
    return { clock, window: shared(clock, sharedWindow(clock, rule)) ?? new SlidingWindow(clock, rule) };
  }

  test('refuses the one past the limit until the oldest has left the window', async () => {
    const { clock, window } = setUp(3);
    for (const pause of [0, 10_000, 10_000]) {
      await clock.advance(pause);
      expect((await window.take('agent')).ok).toBe(true);
    }
    expect(await window.take('agent')).toEqual({ ok: false, retryAfterSec: 40 });
    await clock.advance(39_999);
    expect(await window.take('agent')).toEqual({ ok: false, retryAfterSec: 1 });
    await clock.advance(1);
    expect((await window.take('agent')).ok).toBe(true);
    expect(await window.take('agent')).toEqual({ ok: false, retryAfterSec: 10 });
  });

  test('never lets more than the limit into any 60 s, however they are spread', async () => {
    const { clock, window } = setUp(5);
    const passed: number[] = [];
    for (let i = 0; i < 400; i++) {
      if ((await window.take('agent')).ok) passed.push(clock.now());
      await clock.advance((i * 2617) % 9000);
    }
    expect(passed.length).toBeGreaterThan(50);
    for (const [i, at] of passed.entries()) {
      const sixth = passed[i + 5];
      if (sixth !== undefined) expect(sixth - at).toBeGreaterThanOrEqual(60_000);
    }
  });

  test('does not count what it refused', async () => {
    const { clock, window } = setUp(1);
    await window.take('agent');
    for (let i = 0; i < 100; i++) await window.take('agent');
    await clock.advance(60_000);
    expect((await window.take('agent')).ok).toBe(true);
  });

  test('peeks without counting', async () => {
    const { window } = setUp(1);
    expect((await window.peek('agent')).ok).toBe(true);
    expect((await window.take('agent')).ok).toBe(true);
    expect(await window.peek('agent')).toEqual({ ok: false, retryAfterSec: 60 });
  });

  test('counts a cost as that many units', async () => {
    const { clock, window } = setUp(5);
    await window.take('agent', 2);
    await clock.advance(20_000);
    await window.take('agent', 2);
    expect(await window.take('agent', 4)).toEqual({ ok: false, retryAfterSec: 60 });
    expect(await window.take('agent', 3)).toEqual({ ok: false, retryAfterSec: 40 });
    expect((await window.take('agent', 1)).ok).toBe(true);
  });

  test('tells how a key stands', async () => {
    const { clock, window } = setUp(3);
    expect(await window.standing?.('agent')).toEqual({ limit: 3, remaining: 3, moreAfterMs: 0 });
    await window.take('agent', 2);
    await clock.advance(1_500);
    await window.take('agent');
    expect(await window.standing?.('agent')).toEqual({ limit: 3, remaining: 0, moreAfterMs: 58_500 });
  });

  test('a limit of nothing passes nothing', async () => {
    const { window } = setUp(0);
    expect(await window.take('agent')).toEqual({ ok: false, retryAfterSec: 60 });
  });
});

describe('sliding window in memory', () => {
  test('forgets keys with an empty window, staying small for 100,000 keys', async () => {
    const clock = new FakeClock();
    const window = new SlidingWindow(clock, { limit: 30, windowMs: 60_000 });
    let most = 0;
    for (let i = 0; i < 100_000; i++) {
      window.take(`agent ${i}`);
      if (i % 1000 === 999) await clock.advance(6000);
      if (i % 10_000 === 9999) most = Math.max(most, window.tracked);
    }
    expect(most).toBeLessThanOrEqual(10_000);
    await clock.advance(60_000);
    expect(window.tracked).toBe(0);
  }, 60_000);
});
