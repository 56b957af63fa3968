import type { Clock } from '../clock.ts';
import { type Limiter, type LimitVerdict, type MemoryLimiter, PASSED } from './limiter.ts';
import { SlidingWindow, type SlidingWindowRule } from './sliding-window.ts';
import { TokenBucket, type TokenBucketRule } from './token-bucket.ts';

export interface LimitsOptions {
  clock: Clock;
  /** Off: every limiter always passes and remembers nothing. */
  enabled: boolean;
  /** Told the limiter's name at every refusal by `take`. */
  onReject?: (name: string) => void;
}

/** All limiters of the server by name, to be switched off, counted and measured as a whole. */
export class Limits {
  readonly enabled: boolean;
  readonly #clock: Clock;
  readonly #onReject: (name: string) => void;
  readonly #limiters = new Map<string, MemoryLimiter>();

  constructor(options: LimitsOptions) {
    this.enabled = options.enabled;
    this.#clock = options.clock;
    this.#onReject = options.onReject ?? (() => {});
  }

  tokenBucket(name: string, rule: TokenBucketRule): Limiter {
    return this.#named(name, new TokenBucket(this.#clock, rule));
  }

  slidingWindow(name: string, rule: SlidingWindowRule): Limiter {
    const window = new SlidingWindow(this.#clock, rule);
    const limiter = this.#named(name, window);
    return { ...limiter, standing: (key) => (this.enabled ? window.standing(key) : undefined) };
  }

  /** Keys remembered by each limiter. */
  tracked(): Record<string, number> {
    return Object.fromEntries([...this.#limiters].map(([name, limiter]) => [name, limiter.tracked]));
  }

  #named(name: string, limiter: MemoryLimiter): Limiter {
    if (this.#limiters.has(name)) throw new TypeError(`there is already a limiter named ${name}`);
    this.#limiters.set(name, limiter);
    if (!this.enabled) return UNLIMITED;
    return {
      peek: (key, cost) => limiter.peek(key, cost),
      take: (key, cost): LimitVerdict => {
        const verdict = limiter.take(key, cost);
        if (!verdict.ok) this.#onReject(name);
        return verdict;
      },
    };
  }
}

const UNLIMITED: Limiter = { take: () => PASSED, peek: () => PASSED };
