import type { Clock } from '../clock.ts';
import { isLoopbackAddress } from '../http/client-address.ts';
import { type Limiter, type LimitVerdict, type MemoryLimiter, PASSED, toldLimit } from './limiter.ts';
import { SlidingWindow, type SlidingWindowRule } from './sliding-window.ts';
import { TokenBucket, type TokenBucketRule } from './token-bucket.ts';

export interface LimitsOptions {
  clock: Clock;
  /** Off: every limiter always passes and remembers nothing. */
  enabled: boolean;
  /** How many times as much this machine may do as others, where the server is for it alone; 1 elsewhere. */
  localFactor?: number;
  /** Told the limiter's name at every refusal by `take`. */
  onReject?: (name: string) => void;
}

export interface NamedRule {
  /** The variable that changes the limit, for whoever runs into it. */
  readonly setting: string;
  /** Keys are addresses or end with one: on a server for this machine alone its own count for less. */
  readonly byAddress?: boolean;
}

/** All limiters of the server by name, to be switched off, counted and measured as a whole. */
export class Limits {
  readonly enabled: boolean;
  readonly #localFactor: number;
  readonly #clock: Clock;
  readonly #onReject: (name: string) => void;
  readonly #limiters = new Map<string, MemoryLimiter>();

  constructor(options: LimitsOptions) {
    this.enabled = options.enabled;
    this.#localFactor = options.localFactor ?? 1;
    this.#clock = options.clock;
    this.#onReject = options.onReject ?? (() => {});
  }

  tokenBucket(name: string, rule: TokenBucketRule & NamedRule): Limiter {
    const { capacity, periodMs, setting } = rule;
    const strict = this.#named(
      name,
      new TokenBucket(this.#clock, rule),
      toldLimit(capacity, periodMs, setting),
    );
    const factor = this.#factor(rule);
    if (factor === 1) return strict;
    const more = capacity * factor;
    const bucket = new TokenBucket(this.#clock, { ...rule, capacity: more });
    return preferring(strict, this.#named(`${name}.local`, bucket, toldLimit(more, periodMs, setting)));
  }

  slidingWindow(name: string, rule: SlidingWindowRule & NamedRule): Limiter {
    const strict = this.#window(name, rule);
    const factor = this.#factor(rule);
    if (factor === 1) return strict;
    return preferring(strict, this.#window(`${name}.local`, { ...rule, limit: rule.limit * factor }));
  }

  /** What an address may have at a time, where that is counted elsewhere. */
  atATime(address: string, limit: number): number {
    return isLoopbackAddress(address) ? limit * this.#localFactor : limit;
  }

  #factor({ byAddress }: NamedRule): number {
    return byAddress && this.enabled ? this.#localFactor : 1;
  }

  #window(name: string, { setting, ...rule }: SlidingWindowRule & NamedRule): Limiter {
    const window = new SlidingWindow(this.#clock, rule);
    const limiter = this.#named(name, window, toldLimit(rule.limit, rule.windowMs, setting));
    return { ...limiter, standing: (key) => (this.enabled ? window.standing(key) : undefined) };
  }

  /** Keys remembered by each limiter. */
  tracked(): Record<string, number> {
    return Object.fromEntries([...this.#limiters].map(([name, limiter]) => [name, limiter.tracked]));
  }

  #named(name: string, limiter: MemoryLimiter, told: string): Limiter {
    if (this.#limiters.has(name)) throw new TypeError(`there is already a limiter named ${name}`);
    this.#limiters.set(name, limiter);
    if (!this.enabled) return UNLIMITED;
    return {
      peek: (key, cost): LimitVerdict => {
        const verdict = limiter.peek(key, cost);
        return verdict.ok ? verdict : { ...verdict, told };
      },
      take: (key, cost): LimitVerdict => {
        const verdict = limiter.take(key, cost);
        if (verdict.ok) return verdict;
        this.#onReject(name);
        return { ...verdict, told };
      },
    };
  }
}

/** The second for keys of this machine. */
function preferring(others: Limiter, own: Limiter): Limiter {
  const of = (key: string): Limiter =>
    isLoopbackAddress(key.slice(key.lastIndexOf(' ') + 1)) ? own : others;
  return {
    take: (key, cost) => of(key).take(key, cost),
    peek: (key, cost) => of(key).peek(key, cost),
    standing: (key) => of(key).standing?.(key),
  };
}

const UNLIMITED: Limiter = { take: () => PASSED, peek: () => PASSED };
