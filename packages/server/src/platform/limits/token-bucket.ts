import type { Clock } from '../clock.ts';
import { ForgetfulTable } from './forgetful-table.ts';
import { type LimitVerdict, type MemoryLimiter, PASSED, refused } from './limiter.ts';

export interface TokenBucketRule {
  /** The most that can be spent at once. */
  capacity: number;
  /** What comes back per period, continuously; the capacity unless said otherwise. */
  refill?: number;
  periodMs: number;
}

/** Starts full, refills continuously, and is forgotten when full again. */
export class TokenBucket implements MemoryLimiter {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #perMs: number;
  readonly #buckets = new ForgetfulTable<Bucket>(
    (bucket, now) => this.#tokens(bucket, now) >= this.#capacity - ROUNDING,
  );

  constructor(clock: Clock, rule: TokenBucketRule) {
    this.#clock = clock;
    this.#capacity = rule.capacity;
    this.#perMs = perMs(rule);
  }

  take(key: string, cost = 1): LimitVerdict {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key);
    const tokens = bucket ? this.#tokens(bucket, now) : this.#capacity;
    const verdict = bucketVerdict(tokens, cost, this.#perMs);
    if (!verdict.ok) return verdict;
    if (bucket) {
      bucket.tokens = tokens - cost;
      bucket.at = now;
    } else {
      this.#buckets.set(key, { tokens: tokens - cost, at: now }, now);
    }
    return verdict;
  }

  peek(key: string, cost = 1): LimitVerdict {
    const bucket = this.#buckets.get(key);
    const tokens = bucket ? this.#tokens(bucket, this.#clock.monotonic()) : this.#capacity;
    return bucketVerdict(tokens, cost, this.#perMs);
  }

  /** Keys held in memory, after forgetting those that no longer matter. Walks the whole table. */
  get tracked(): number {
    this.#buckets.forgetAll(this.#clock.monotonic());
    return this.#buckets.size;
  }

  #tokens(bucket: Bucket, now: number): number {
    return Math.min(this.#capacity, bucket.tokens + (now - bucket.at) * this.#perMs);
  }
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Refilling adds fractions; whoever waited exactly the stated time must not miss a token by the last bit. */
export const ROUNDING = 1e-6;

export const perMs = ({ capacity, refill = capacity, periodMs }: TokenBucketRule): number =>
  refill / periodMs;

/** Whether that many tokens are enough. */
export function bucketVerdict(tokens: number, cost: number, backPerMs: number): LimitVerdict {
  if (tokens + ROUNDING >= cost) return PASSED;
  return refused((cost - tokens) / backPerMs - ROUNDING);
}
