import type { Clock } from '../clock.ts';
import { isLoopbackAddress } from '../http/client-address.ts';
import { type Eventually, mapped } from '../eventually.ts';
import { type Limiter, type LimitVerdict, PASSED, toldLimit } from './limiter.ts';
import { sharedBucket, sharedWindow } from './shared-kinds.ts';
import type { SharedLimits } from './shared-limits.ts';
import { MemorySlots, type Slots, UNLIMITED_SLOTS } from './slots.ts';
import { SlidingWindow, type SlidingWindowRule } from './sliding-window.ts';
import { TokenBucket, type TokenBucketRule } from './token-bucket.ts';

export interface LimitsOptions {
  clock: Clock;
  /** Off: every limiter always passes and remembers nothing. */
  enabled: boolean;
  /** How many times as much this machine may do as others, where the server is for it alone; 1 elsewhere. */
  localFactor?: number;
  /** Counts over all nodes; without it each process counts by itself. */
  shared?: SharedLimits | undefined;
}

export interface NamedRule {
  /** The variable that changes the limit, for whoever runs into it. */
  readonly setting: string;
  /** Keys are addresses or end with one: on a server for this machine alone its own count for less. */
  readonly byAddress?: boolean;
}

/** All limiters of the server by name, to be switched off and counted as a whole. */
export class Limits {
  readonly enabled: boolean;
  readonly #options: LimitsOptions;
  readonly #names = new Set<string>();

  constructor(options: LimitsOptions) {
    this.enabled = options.enabled;
    this.#options = options;
  }

  tokenBucket(name: string, rule: TokenBucketRule & NamedRule): Limiter {
    return this.#forAll(name, rule, (own, factor) =>
      this.#bucket(own, { ...rule, capacity: rule.capacity * factor }),
    );
  }

  slidingWindow(name: string, rule: SlidingWindowRule & NamedRule): Limiter {
    return this.#forAll(name, rule, (own, factor) =>
      this.#window(own, { ...rule, limit: rule.limit * factor }),
    );
  }

  /** So many at a time for one key, over all nodes. */
  slots(name: string, { limit, setting }: { readonly limit: number; readonly setting: string }): Slots {
    if (!this.enabled) return UNLIMITED_SLOTS;
    const slots = this.#options.shared?.slots(name, limit) ?? new MemorySlots(limit);
    const told = toldLimit(limit, undefined, setting);
    return {
      take: (key) => mapped(slots.take(key), (verdict) => (verdict.ok ? verdict : { ...verdict, told })),
      release: (key) => slots.release(key),
    };
  }

  /** What an address may have at a time, where that is counted elsewhere. */
  atATime(address: string, limit: number): number {
    return isLoopbackAddress(address) ? limit * (this.#options.localFactor ?? 1) : limit;
  }

  /** Keys of this machine have a limiter of their own, where it may do more than others. */
  #forAll(name: string, { byAddress }: NamedRule, make: (name: string, factor: number) => Limiter): Limiter {
    const { localFactor = 1 } = this.#options;
    const strict = make(name, 1);
    if (!byAddress || !this.enabled || localFactor === 1) return strict;
    return preferring(strict, make(`${name}.local`, localFactor));
  }

  #bucket(name: string, { setting, ...rule }: TokenBucketRule & NamedRule): Limiter {
    const { shared, clock } = this.#options;
    const bucket = shared?.limiter(name, sharedBucket(clock, rule)) ?? new TokenBucket(clock, rule);
    return this.#named(name, bucket, toldLimit(rule.capacity, rule.periodMs, setting));
  }

  #window(name: string, { setting, ...rule }: SlidingWindowRule & NamedRule): Limiter {
    const { shared, clock } = this.#options;
    const window: Limiter =
      shared?.limiter(name, sharedWindow(clock, rule)) ?? new SlidingWindow(clock, rule);
    const limiter = this.#named(name, window, toldLimit(rule.limit, rule.windowMs, setting));
    return { ...limiter, standing: (key) => (this.enabled ? window.standing?.(key) : undefined) };
  }

  #named(name: string, limiter: Limiter, told: string): Limiter {
    if (this.#names.has(name)) throw new TypeError(`there is already a limiter named ${name}`);
    this.#names.add(name);
    if (!this.enabled) return UNLIMITED;
    const named = (verdict: LimitVerdict): LimitVerdict => (verdict.ok ? verdict : { ...verdict, told });
    return {
      peek: (key, cost): Eventually<LimitVerdict> => mapped(limiter.peek(key, cost), named),
      take: (key, cost): Eventually<LimitVerdict> => mapped(limiter.take(key, cost), named),
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

/** A limiter by address that lets this machine pass, where the operator wants that. */
export const sparingLoopback = (limiter: Limiter, spare: boolean): Limiter =>
  spare ? preferring(limiter, UNLIMITED) : limiter;
