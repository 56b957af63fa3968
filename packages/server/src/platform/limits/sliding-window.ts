import type { Clock } from '../clock.ts';
import { ForgetfulTable } from './forgetful-table.ts';
import { type LimitVerdict, type MemoryLimiter, PASSED, refused, type Standing } from './limiter.ts';

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
  readonly #windows = new ForgetfulTable<Times>((times, now) => times.newest <= now - this.#windowMs);

  constructor(clock: Clock, rule: SlidingWindowRule) {
    this.#clock = clock;
    this.#limit = rule.limit;
    this.#windowMs = rule.windowMs;
  }

  take(key: string, cost = 1): LimitVerdict {
    const now = this.#clock.monotonic();
    const known = this.#windows.get(key);
    const times = known ?? new Times();
    times.drop(now - this.#windowMs);
    const verdict = this.#verdict(times, cost, now);
    if (!verdict.ok) return verdict;
    for (let unit = 0; unit < cost; unit++) times.add(now);
    if (!known) this.#windows.set(key, times, now);
    return verdict;
  }

  peek(key: string, cost = 1): LimitVerdict {
    const now = this.#clock.monotonic();
    return this.#verdict(this.#timesOf(key, now), cost, now);
  }

  standing(key: string): Standing {
    const now = this.#clock.monotonic();
    const times = this.#timesOf(key, now);
    const oldest = times.at(0);
    return windowStanding(this.#limit, times.count, oldest === undefined ? 0 : oldest + this.#windowMs - now);
  }

  /** Keys held in memory, after forgetting those that no longer matter. Walks the whole table. */
  get tracked(): number {
    this.#windows.forgetAll(this.#clock.monotonic());
    return this.#windows.size;
  }

  #timesOf(key: string, now: number): Times {
    const times = this.#windows.get(key) ?? new Times();
    times.drop(now - this.#windowMs);
    return times;
  }

  #verdict(times: Times, cost: number, now: number): LimitVerdict {
    const excess = times.count + cost - this.#limit;
    // There is room once the `excess` oldest units have left the window.
    const lastToLeave = times.at(Math.min(excess, times.count) - 1) ?? now;
    return windowVerdict(excess > 0, lastToLeave + this.#windowMs - now);
  }
}

export const windowVerdict = (full: boolean, roomAfterMs: number): LimitVerdict =>
  full ? refused(roomAfterMs) : PASSED;

export const windowStanding = (limit: number, count: number, moreAfterMs: number): Standing => ({
  limit,
  remaining: Math.max(0, limit - count),
  moreAfterMs,
});

/** Times in order. The old ones are cut off many at once: a window of thousands must not be moved for each of them. */
class Times {
  #list: number[] = [];
  #head = 0;

  get count(): number {
    return this.#list.length - this.#head;
  }

  get newest(): number {
    return this.#list.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  at(index: number): number | undefined {
    return index < 0 ? undefined : this.#list[this.#head + index];
  }

  add(time: number): void {
    this.#list.push(time);
  }

  drop(until: number): void {
    while (this.count > 0 && (this.at(0) ?? 0) <= until) this.#head += 1;
    if (this.#head * 2 < this.#list.length) return;
    this.#list = this.#list.slice(this.#head);
    this.#head = 0;
  }
}
