import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

const HOUR = 3_600_000;

describe('system clock › at', () => {
  let fired: number;
  beforeEach(() => {
    fired = 0;
    vi.useFakeTimers({ now: 1_800_000_000_000 });
  });
  afterEach(() => void vi.useRealTimers());
  const inAnHour = () => systemClock.at(Date.now() + HOUR, () => fired++);

  test('waits for the time of day, and fires once', () => {
    inAnHour();
    vi.advanceTimersByTime(HOUR - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
    vi.advanceTimersByTime(HOUR);
    expect(fired).toBe(1);
  });

  test('a machine that slept is not late by as long as it slept', () => {
    inAnHour();
    vi.setSystemTime(Date.now() + HOUR);
    vi.advanceTimersByTime(30_001);
    expect(fired).toBe(1);
  });

  test('a clock that was set back has not come to that time', () => {
    inAnHour();
    vi.advanceTimersByTime(HOUR / 2);
    vi.setSystemTime(Date.now() - HOUR);
    vi.advanceTimersByTime(HOUR / 2);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(HOUR);
    expect(fired).toBe(1);
  });

  test('nor has one that was set back in the last moment', () => {
    inAnHour();
    vi.advanceTimersByTime(HOUR - 1_000);
    vi.setSystemTime(Date.now() - 5_000);
    vi.advanceTimersByTime(5_999);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
  });

  test('a time that is over has come', () => {
    systemClock.at(Date.now() - HOUR, () => fired++);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
  });

  test('cancelled, it never fires', () => {
    const timer = inAnHour();
    vi.advanceTimersByTime(HOUR / 2);
    timer.cancel();
    vi.advanceTimersByTime(HOUR);
    expect(fired).toBe(0);
  });
});

describe('system clock › after', () => {
  let now = 0;
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test('is never early, though timers are', () => {
    let fired = 0;
    systemClock.after(100, () => fired++);
    now += 99.4;
    vi.advanceTimersByTime(100);
    expect(fired).toBe(0);
    now += 1;
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
  });
});
