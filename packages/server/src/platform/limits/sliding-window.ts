import type { Clock } from '../clock.ts';
import { ForgetfulTable } from './forgetful-table.ts';
import { type LimitVerdict, type MemoryLimiter, PASSED, refused } from './limiter.ts';

export interface SlidingWindowRule {
  /** The most that may fall into any stretch of `windowMs`. */
  limit: number;
  windowMs: number;
}

/** Counts exactly: it keeps the time of each spent unit, at most `limit` of them per key. */
export class SlidingWindow implements MemoryLimiter {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #windows = new ForgetfulTable<number[]>(
    (times, now) => (times.at(-1) ?? 0) <= now - this.#windowMs,
  );

  constructor(clock: Clock, rule: SlidingWindowRule) {
    this.#clock = clock;
    this.#limit = rule.limit;
    this.#windowMs = rule.windowMs;
  }

  take(key: string, cost = 1): LimitVerdict {
    const now = this.#clock.monotonic();
    const known = this.#windows.get(key);
    const times = known ?? [];
    this.#dropOld(times, now);
    const verdict = this.#verdict(times, cost, now);
    if (!verdict.ok) return verdict;
    for (let unit = 0; unit < cost; unit++) times.push(now);
    if (!known) this.#windows.set(key, times, now);
    return verdict;
  }

  peek(key: string, cost = 1): LimitVerdict {
    const now = this.#clock.monotonic();
    const times = this.#windows.get(key) ?? [];
    this.#dropOld(times, now);
    return this.#verdict(times, cost, now);
  }

  get tracked(): number {
    this.#windows.forgetAll(this.#clock.monotonic());
    return this.#windows.size;
  }

  #dropOld(times: number[], now: number): void {
    let old = 0;
    while (old < times.length && (times[old] ?? 0) <= now - this.#windowMs) old += 1;
    if (old > 0) times.splice(0, old);
  }

  #verdict(times: readonly number[], cost: number, now: number): LimitVerdict {
    const excess = times.length + cost - this.#limit;
    if (excess <= 0) return PASSED;
    // There is room once the `excess` oldest units have left the window.
    const lastToLeave = times[Math.min(excess, times.length) - 1] ?? now;
    return refused(lastToLeave + this.#windowMs - now);
  }
}
