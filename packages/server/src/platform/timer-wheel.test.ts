import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import type { Timer } from './clock.ts';
import { TimerWheel, type WheelClock, WheelEntry } from './timer-wheel.ts';

/** Counts what the wheel asks of the clock. */
class CountingClock implements WheelClock {
  readonly inner = new FakeClock();
  armed = 0;
  live = 0;
  mostLive = 0;

  now = (): number => this.inner.now();
  monotonic = (): number => this.inner.monotonic();

  after(ms: number, fn: () => void): Timer {
    this.armed += 1;
    this.live += 1;
    this.mostLive = Math.max(this.mostLive, this.live);
    let open = true;
    const close = (): void => {
      if (open) this.live -= 1;
      open = false;
    };
    const timer = this.inner.after(ms, () => {
      close();
      fn();
    });
    return {
      cancel: () => {
        close();
        timer.cancel();
      },
    };
  }
}

describe('timer wheel', () => {
  test('fires never early and at most one tick late, whatever the delay and the start', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1) + 137);
    const wheel = new TimerWheel(clock, { tickMs: 250 });
    const late: number[] = [];
    for (let i = 0; i < 500; i++) {
      const delay = (i * 7919) % 200_000;
      const due = clock.now() + delay;
      wheel.add(delay, () => late.push(clock.now() - due));
      if (i % 50 === 0) await clock.advance(33);
    }
    await clock.advance(201_000);
    expect(late).toHaveLength(500);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThanOrEqual(250);
  });

  test('fires in the order of due times', async () => {
    const clock = new FakeClock();
    const wheel = new TimerWheel(clock);
    const fired: number[] = [];
    for (const delay of [9000, 500, 3000, 500, 100]) wheel.add(delay, () => fired.push(delay));
    await clock.advance(10_000);
    expect(fired).toEqual([100, 500, 500, 3000, 9000]);
  });

  test('holds one clock timer for thousands of entries and none when idle', async () => {
    const clock = new CountingClock();
    const wheel = new TimerWheel(clock);
    expect(clock.armed).toBe(0);
    let fired = 0;
    for (let i = 0; i < 10_000; i++) wheel.add(50_000 + (i % 900), () => void (fired += 1));
    expect(wheel.size).toBe(10_000);
    await clock.inner.advance(60_000);
    expect(fired).toBe(10_000);
    expect(clock.mostLive).toBe(1);
    expect(clock.live).toBe(0);
    expect(clock.armed).toBeLessThan(10);
  });

  test('disarms when the last entry is cancelled', () => {
    const clock = new CountingClock();
    const wheel = new TimerWheel(clock);
    const entry = wheel.add(1000, () => {});
    expect(clock.live).toBe(1);
    wheel.cancel(entry);
    wheel.cancel(entry);
    expect(wheel.size).toBe(0);
    expect(clock.live).toBe(0);
  });

  test('keeps the other entries when the earliest is cancelled', async () => {
    const clock = new FakeClock();
    const wheel = new TimerWheel(clock);
    const fired: string[] = [];
    const first = wheel.add(500, () => fired.push('first'));
    wheel.add(2000, () => fired.push('second'));
    wheel.cancel(first);
    await clock.advance(3000);
    expect(fired).toEqual(['second']);
  });

  test('lets an entry cancel another of the same tick and add new ones', async () => {
    const clock = new FakeClock();
    const wheel = new TimerWheel(clock);
    const fired: string[] = [];
    wheel.add(100, () => {
      fired.push('first');
      wheel.cancel(second);
      wheel.add(0, () => fired.push('added'));
    });
    const second = wheel.add(100, () => fired.push('second'));
    await clock.advance(250);
    expect(fired).toEqual(['first']);
    await clock.advance(250);
    expect(fired).toEqual(['first', 'added']);
    expect(wheel.size).toBe(0);
  });

  test('fires the rest when one throws, and says so', async () => {
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const wheel = new TimerWheel(clock, { onError: (error) => errors.push(error) });
    let fired = 0;
    wheel.add(100, () => {
      throw new Error('broken entry');
    });
    wheel.add(100, () => void (fired += 1));
    wheel.add(5000, () => void (fired += 1));
    await clock.advance(6000);
    expect(fired).toBe(2);
    expect(errors).toEqual([new Error('broken entry')]);
  });

  test('catches up after the process was stopped for longer than a turn of the wheel', async () => {
    const clock = new FakeClock();
    let pending: (() => void) | undefined;
    const asleep: WheelClock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (_ms, fn) => {
        pending = fn;
        return { cancel: () => void (pending = undefined) };
      },
    };
    const wheel = new TimerWheel(asleep);
    const fired: number[] = [];
    for (const delay of [100, 30_000, 70_000, 100_000, 900_000]) wheel.add(delay, () => fired.push(delay));
    await clock.advance(200_000);
    pending?.();
    expect(fired.toSorted((a, b) => a - b)).toEqual([100, 30_000, 70_000, 100_000]);
    expect(wheel.size).toBe(1);
  });

  test('restarts an entry that brings its own fire', async () => {
    class Beat extends WheelEntry {
      count = 0;
      fire(): void {
        this.count += 1;
        wheel.start(this, 1000);
      }
    }
    const clock = new FakeClock();
    const wheel = new TimerWheel(clock);
    const beat = new Beat();
    wheel.start(beat, 1000);
    wheel.start(beat, 1000);
    expect(wheel.size).toBe(1);
    await clock.advance(5250);
    expect(beat.count).toBe(5);
    wheel.cancel(beat);
    await clock.advance(5000);
    expect(beat.count).toBe(5);
  });
});
