import { PLAN_NAMES, type PlanName } from '@parley/protocol/delivery/plans';
import { variableName } from '../../config/settings.ts';
import type { Plans } from '../../config/plans.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Limiter, Standing } from '../../platform/limits/limiter.ts';
import type { Platform } from '../../platform.ts';
import type { Caller, CountedRequest, ShownLimit } from '../../wire/caller.ts';
import { MINUTE } from '../../platform/units.ts';

/** Requests per key and minute, by plan. What is refused is not counted. */
export class RequestLimits {
  readonly #clock: Clock;
  /** Null: no limit. */
  readonly perMinute: (plan: PlanName) => number | null;
  readonly #plans: ReadonlyMap<PlanName, Limiter>;

  constructor({ limits, clock, plans }: Pick<Platform, 'limits' | 'clock'> & { plans: Plans }) {
    this.#clock = clock;
    this.perMinute = (name) => (limits.enabled ? plans[name].requestsPerMinute : null);
    this.#plans = new Map(
      PLAN_NAMES.flatMap((name) => {
        const limit = this.perMinute(name);
        if (limit === null) return [];
        const window = limits.slidingWindow(`identity.requests.${name}`, {
          limit,
          windowMs: MINUTE,
          setting: variableName(name === 'self_hosted' ? 'rlRequestsPerMinute' : 'planRequestsPerMinute'),
        });
        return [[name, window] as const];
      }),
    );
  }

  /** Undefined when the caller's plan has no limit. */
  async take({ plan, keyId }: Caller): Promise<CountedRequest | undefined> {
    const limiter = this.#plans.get(plan);
    if (!limiter) return undefined;
    const verdict = await limiter.take(keyId);
    return { verdict, shown: this.shown(await limiter.standing?.(keyId)) };
  }

  /** How the caller's key stands now; undefined when its plan has no limit. */
  async standing({ plan, keyId }: Caller): Promise<Standing | undefined> {
    return await this.#plans.get(plan)?.standing?.(keyId);
  }

  shown(standing: Standing | undefined): ShownLimit | undefined {
    if (!standing) return undefined;
    const { limit, remaining, moreAfterMs } = standing;
    return { limit, remaining, reset: Math.ceil((this.#clock.now() + moreAfterMs) / 1000) };
  }
}
