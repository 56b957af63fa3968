import { QUOTA_GRACE } from '@parley/protocol/delivery/limits';
import { planOf } from '../../identity/owners/account.ts';
import { identityTables } from '../../identity/watched.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Remembered } from '../../platform/database/remembered.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { graceOf, usedIn } from '../usage/usage-store.ts';
import { monthOf } from '../../platform/month.ts';

type Parts = Pick<MessagingContext, 'database' | 'clock' | 'settings'>;

const KEPT = 10_000;

/** How often the cues of an owner may fire in a month. At the limit a day of grace begins; after it they do not. */
export class ExecutionQuota {
  readonly #options: Parts;
  /** A plan changes by the hand of the operator: that a fire under way goes by the one before does no harm. */
  readonly #plans: Remembered<{ readonly limit: number | null }>;

  constructor(options: Parts) {
    this.#options = options;
    this.#plans = new Remembered({ ...options, tables: identityTables.owners, most: KEPT });
  }

  /** How many more times. What is fired is counted by who fires, in the same transaction. */
  async left(tx: Tx, ownerId: string): Promise<number> {
    const { clock, settings } = this.#options;
    const known = await this.#plans.get(ownerId, async () => ({
      limit: settings.plans[await planOf(tx, ownerId)].executionsPerMonth,
    }));
    const limit = known?.limit ?? null;
    if (limit === null) return Number.POSITIVE_INFINITY;
    const { executions } = await usedIn(tx, ownerId, monthOf(clock.now()));
    return Math.max(0, limit - executions);
  }

  /** The limit is reached: the day begins, if it has not. False when it is over, and a fire has to be stored as failed. */
  async inGrace(tx: Tx, ownerId: string): Promise<boolean> {
    const now = this.#options.clock.now();
    return now < (await graceOf(tx, ownerId, monthOf(now), now)) + QUOTA_GRACE;
  }
}
