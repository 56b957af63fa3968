import { PLAN_NAMES, type PlanName } from '@parley/protocol/delivery/plans';
import type { Plans } from '../../config/plans.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Limiter, LimitVerdict, Standing } from '../../platform/limits/limiter.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Caller } from '../../wire/caller.ts';

export interface RequestLimitsOptions {
  limits: Limits;
  clock: Clock;
  plans: Plans;
}

const MINUTE = 60_000;

/** What an answer says about a limit, as `X-RateLimit-*`. */
export interface ShownLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds. */
  readonly reset: number;
}

export interface Counted {
  readonly verdict: LimitVerdict;
  readonly shown: ShownLimit | undefined;
}

/** Requests per key and minute, by plan (delivery §23). What is refused is not counted. */
export class RequestLimits {
  readonly #clock: Clock;
  readonly #perMinute: (plan: PlanName) => number | null;
  readonly #plans: ReadonlyMap<PlanName, Limiter>;

  constructor({ limits, clock, plans }: RequestLimitsOptions) {
    this.#clock = clock;
    this.#perMinute = (name) => (limits.enabled ? plans[name].requestsPerMinute : null);
    this.#plans = new Map(
      PLAN_NAMES.flatMap((name) => {
        const limit = this.#perMinute(name);
        if (limit === null) return [];
        const window = limits.slidingWindow(`identity.requests.${name}`, { limit, windowMs: MINUTE });
        return [[name, window] as const];
      }),
    );
  }

  /** Null: no limit. */
  perMinute(plan: PlanName): number | null {
    return this.#perMinute(plan);
  }

  /** Undefined when the caller's plan has no limit. */
  async take({ plan, keyId }: Caller): Promise<Counted | undefined> {
    const limiter = this.#plans.get(plan);
    if (!limiter) return undefined;
    const verdict = await limiter.take(keyId);
    return { verdict, shown: this.shown(await limiter.standing?.(keyId)) };
  }

  shown(standing: Standing | undefined): ShownLimit | undefined {
    if (!standing) return undefined;
    const { limit, remaining, moreAfterMs } = standing;
    return { limit, remaining, reset: Math.ceil((this.#clock.now() + moreAfterMs) / 1000) };
  }
}
