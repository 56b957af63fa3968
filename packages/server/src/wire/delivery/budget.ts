import type { Budget } from '../../config/budgets.ts';
import type { Tx } from '../../platform/database/database.ts';
import { DeliveryError } from './errors.ts';

/**
 * Refuses one more than the budget has room for. Counted by an index in the transaction that adds, so two at once cannot
 * both be the last; `count` meets no more rows than the budget allows.
 */
export async function mustFit(
  tx: Tx,
  ownerId: string,
  { kind, limit, setting }: Budget,
  count: (tx: Tx, ownerId: string) => Promise<number>,
): Promise<void> {
  if (limit === null) return;
  await tx.lock(`budget ${kind} ${ownerId}`);
  const current = await count(tx, ownerId);
  if (current < limit) return;
  const message = `this account has ${current} ${kind}, and may have ${limit} (${setting}). Remove what is not needed`;
  throw new DeliveryError('quota_exceeded', message, { extra: { limit, current } });
}
