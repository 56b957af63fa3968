import { type Plan, planNamed } from '@parley/protocol/delivery/plans';
import type { Plans } from '../../config/plans.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { isUniqueViolation } from '../../platform/database/errors.ts';
import type { StoredUrlVerdict } from '../../platform/outbound/stored-url.ts';
import type { AccountSecrets } from './account-secrets.ts';
import {
  emailOwner,
  lockAccount,
  type OwnerRow,
  readOwner,
  setAlertUrl,
  setEmail,
  setSlug,
  slugOwner,
  touchOwner,
} from './owner-store.ts';

/** What counts against the plan. The delivery module counts; without it nothing is used. */
export interface Usage {
  readonly activeCues: number;
  readonly executionsThisMonth: number;
  readonly messagesThisMonth: number;
}

/** What an owner has at a time, as modules count it. */
export interface Held {
  readonly liveSessions: number;
  readonly documents: number;
}

export type UsageOf = (ownerId: string) => Promise<Usage>;

export interface AccountPatch {
  readonly email?: string | undefined;
  readonly slug?: string | undefined;
  /** Null or empty clears it. */
  readonly alertWebhookUrl?: string | null | undefined;
}

export interface AccountOptions {
  database: Database;
  clock: Clock;
  accountSecrets: AccountSecrets;
  usage: UsageOf;
  plans: Plans;
  checkUrl: (url: string) => Promise<StoredUrlVerdict>;
}

export interface AccountView {
  readonly owner: OwnerRow;
  readonly plan: Plan;
  readonly usage: Usage;
}

/** What an owner sees of, and changes about, the own account. */
export class Account {
  readonly #options: AccountOptions;

  constructor(options: AccountOptions) {
    this.#options = options;
  }

  async read(ownerId: string): Promise<AccountView> {
    const { database, usage, plans } = this.#options;
    const [owner, used] = await Promise.all([readOwner(database.read, ownerId), usage(ownerId)]);
    if (!owner) throw new DeliveryError('user_not_found');
    return { owner, plan: plans[planNamed(owner.plan)], usage: used };
  }

  async update(ownerId: string, patch: AccountPatch): Promise<{ updatedAt: number; warning?: string }> {
    const { email, slug, alertWebhookUrl } = patch;
    if (email === undefined && slug === undefined && alertWebhookUrl === undefined) {
      throw new DeliveryError('no_fields');
    }
    const warning = alertWebhookUrl ? await this.#checkUrl(alertWebhookUrl) : undefined;
    const updatedAt = await this.#writePatch(ownerId, patch);
    return { updatedAt, ...(warning !== undefined && { warning }) };
  }

  /** Somebody may take the slug or the address between the look and the write; the second look then sees it. */
  async #writePatch(ownerId: string, patch: AccountPatch): Promise<number> {
    const write = (): Promise<number> =>
      this.#options.database.write((tx) => this.#apply(tx, ownerId, patch));
    try {
      return await write();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return await write();
    }
  }

  async #apply(tx: Tx, ownerId: string, { email, slug, alertWebhookUrl }: AccountPatch): Promise<number> {
    const now = this.#options.clock.now();
    await lockAccount(tx, ownerId);
    const owner = await readOwner(tx, ownerId);
    if (!owner) throw new DeliveryError('user_not_found');
    if (slug !== undefined && slug !== owner.slug) {
      if (owner.slug_changed_at !== null) throw new DeliveryError('slug_locked');
      if ((await slugOwner(tx, slug)) !== undefined) throw new DeliveryError('slug_taken');
      await setSlug(tx, ownerId, slug, now);
    }
    if (email !== undefined) {
      const holder = await emailOwner(tx, email);
      if (holder !== undefined && holder !== ownerId) throw new DeliveryError('duplicate_email');
      await setEmail(tx, ownerId, email);
    }
    if (alertWebhookUrl !== undefined) await this.#setAlertUrl(tx, ownerId, alertWebhookUrl || null);
    await touchOwner(tx, ownerId, now);
    return now;
  }

  async #setAlertUrl(tx: Tx, ownerId: string, url: string | null): Promise<void> {
    await setAlertUrl(tx, ownerId, url);
    if (url !== null) await this.#options.accountSecrets.ensure(tx, ownerId, 'alert_webhook_secret');
  }

  async #checkUrl(url: string): Promise<string | undefined> {
    const verdict = await this.#options.checkUrl(url);
    if (!verdict.ok)
      throw new DeliveryError('invalid_alert_webhook_url', `alert_webhook_url ${verdict.detail}`);
    return verdict.warning;
  }
}
