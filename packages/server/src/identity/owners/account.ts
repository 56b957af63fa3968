import { QUOTA_WARNING } from '@parley/protocol/delivery/limits';
import { type Plan, type PlanName, planNamed } from '@parley/protocol/delivery/plans';
import type { accountPatch } from '@parley/protocol/identity/schemas';
import type { z } from 'zod';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { isUniqueViolation } from '../../platform/database/errors.ts';
import { checkStoredUrl } from '../../platform/outbound/stored-url.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { Caller } from '../../wire/caller.ts';
import type { IdentityService, Usage } from '../service.ts';
import { ensureAccountSecret } from './account-secrets.ts';
import { changeOwner, emailOwner, lockAccount, type OwnerRow, readOwner, slugOwner } from './owner-store.ts';

/** An alert URL that is null or empty clears it. */
type AccountPatch = z.output<typeof accountPatch>;

const NOTHING_USED: Usage = { activeCues: 0, executionsThisMonth: 0, messagesThisMonth: 0 };

/** What an owner sees of the own account. */
export async function readAccount(
  { database, hooks, plans }: IdentityService,
  ownerId: string,
): Promise<{ owner: OwnerRow; plan: Plan; usage: Usage }> {
  const [owner, ...counted] = await Promise.all([
    readOwner(database.read, ownerId),
    ...hooks.usage.map((count) => count(ownerId)),
  ]);
  if (!owner) throw new DeliveryError('user_not_found');
  return { owner, plan: plans[planNamed(owner.plan)], usage: Object.assign({}, NOTHING_USED, ...counted) };
}

export async function updateAccount(
  identity: IdentityService,
  ownerId: string,
  patch: AccountPatch,
): Promise<{ updatedAt: number; warning?: string }> {
  if (Object.values(patch).every((value) => value === undefined)) throw new DeliveryError('no_fields');
  const url = patch.alert_webhook_url;
  const warning = url ? await checkUrl(identity, url) : undefined;
  const write = (): Promise<number> => identity.database.write((tx) => apply(identity, tx, ownerId, patch));
  const updatedAt = await write().catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    // Somebody took the slug or the address between the look and the write; the second look sees it.
    return write();
  });
  return { updatedAt, ...(warning !== undefined && { warning }) };
}

async function apply(
  identity: IdentityService,
  tx: Tx,
  ownerId: string,
  { email, slug, alert_webhook_url: url }: AccountPatch,
): Promise<number> {
  const now = identity.clock.now();
  await lockAccount(tx, ownerId);
  const owner = await readOwner(tx, ownerId);
  if (!owner) throw new DeliveryError('user_not_found');
  const renamed = slug !== undefined && slug !== owner.slug;
  if (renamed) {
    if (owner.slug_changed_at !== null) throw new DeliveryError('slug_locked');
    if ((await slugOwner(tx, slug)) !== undefined) throw new DeliveryError('slug_taken');
  }
  if (email !== undefined) {
    const holder = await emailOwner(tx, email);
    if (holder !== undefined && holder !== ownerId) throw new DeliveryError('duplicate_email');
  }
  await changeOwner(tx, ownerId, {
    ...(renamed && { slug, slug_changed_at: now }),
    ...(email !== undefined && { email }),
    ...(url !== undefined && { alert_webhook_url: url || null }),
    updated_at: now,
  });
  if (url) await ensureAccountSecret(identity, tx, ownerId, 'alert_webhook_secret');
  return now;
}

async function checkUrl(
  { addressRules, resolve }: IdentityService,
  url: string,
): Promise<string | undefined> {
  const verdict = await checkStoredUrl(url, addressRules, resolve);
  if (!verdict.ok)
    throw new DeliveryError('invalid_alert_webhook_url', `alert_webhook_url ${verdict.detail}`);
  return verdict.warning;
}

/** What an owner may use. */
export async function planOf(reader: Reader, ownerId: string): Promise<PlanName> {
  return planNamed((await readOwner(reader, ownerId))?.plan ?? '');
}

/** Where an owner's alerts are posted; null when nowhere. */
export async function alertUrlOf(reader: Reader, ownerId: string): Promise<string | null> {
  return (await readOwner(reader, ownerId))?.alert_webhook_url ?? null;
}

/** Where mails to an owner go; null for one that was registered without an address. */
export async function emailOf(reader: Reader, ownerId: string): Promise<string | null> {
  return (await readOwner(reader, ownerId))?.email ?? null;
}

const near = (count: number, limit: number | null): boolean =>
  limit !== null && count >= QUOTA_WARNING * limit;

/** From four fifths on. A plan without quotas costs no look at the store. */
export async function nearQuota(
  { plans, hooks }: Pick<IdentityService, 'plans' | 'hooks'>,
  caller: Caller,
): Promise<boolean> {
  const { executionsPerMonth, messagesPerMonth } = plans[caller.plan];
  if (executionsPerMonth === null && messagesPerMonth === null) return false;
  const counted = await Promise.all(hooks.usage.map((count) => count(caller.ownerId)));
  const used: Usage = Object.assign({}, NOTHING_USED, ...counted);
  return near(used.executionsThisMonth, executionsPerMonth) || near(used.messagesThisMonth, messagesPerMonth);
}
