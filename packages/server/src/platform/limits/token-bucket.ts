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
    this.#perMs = (rule.refill ?? rule.capacity) / rule.periodMs;
  }

  take(key: string, cost = 1): LimitVerdict {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key);
    const tokens = bucket ? this.#tokens(bucket, now) : this.#capacity;
    if (tokens + ROUNDING < cost) return this.#refusal(tokens, cost);
    if (bucket) {
      bucket.tokens = tokens - cost;
      bucket.at = now;
    } else {
      this.#buckets.set(key, { tokens: tokens - cost, at: now }, now);
    }
    return PASSED;
  }

  peek(key: string, cost = 1): LimitVerdict {
    const bucket = this.#buckets.get(key);
    const tokens = bucket ? this.#tokens(bucket, this.#clock.monotonic()) : this.#capacity;
    return tokens + ROUNDING < cost ? this.#refusal(tokens, cost) : PASSED;
  }

  get tracked(): number {
    this.#buckets.forgetAll(this.#clock.monotonic());
    return this.#buckets.size;
  }

  #tokens(bucket: Bucket, now: number): number {
    return Math.min(this.#capacity, bucket.tokens + (now - bucket.at) * this.#perMs);
  }

  #refusal(tokens: number, cost: number): LimitVerdict {
    return refused((cost - tokens) / this.#perMs - ROUNDING);
  }
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Refilling adds fractions; whoever waited exactly the stated time must not miss a token by the last bit. */
const ROUNDING = 1e-6;
