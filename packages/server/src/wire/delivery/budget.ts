import { type Budget, budgetText } from '../../config/budgets.ts';
import type { Tx } from '../../platform/database/database.ts';
import { DeliveryError } from './errors.ts';

/**
 * Refuses one more than the budget has room for. Counted by an index in the transaction that adds, so two at once cannot
 * both be the last; `count` meets no more rows than the budget allows.
 */
export async function mustFit(
  tx: Tx,
  ownerId: string,
  budget: Budget,
  count: (tx: Tx, ownerId: string) => Promise<number>,
): Promise<void> {
  const { kind, limit } = budget;
  if (limit === null) return;
  await tx.lock(`budget ${kind} ${ownerId}`);
  const current = await count(tx, ownerId);
  if (current < limit) return;
  throw overBudget(budget, current);
}

/** Says how much there is, how much there may be, and what changes that. */
export function overBudget(budget: Budget, current: number): DeliveryError {
  const { limit } = budget;
  return new DeliveryError('quota_exceeded', budgetText(budget, current), {
    extra: { limit: limit ?? 0, current },
  });
}
