import { budgetText } from '../config/budgets.ts';
import type { OwnerBudget } from '../config/owner-budget.ts';
import type { Tx } from '../platform/database/database.ts';
import { DetailError } from '../wire/memory/errors.ts';

/** Before a document is created, or grows: one account must not fill the store of all. */
export async function requireRoom(held: OwnerBudget, tx: Tx, ownerId: string, more = 1): Promise<void> {
  const current = more > 0 ? await held.take(tx, ownerId, more) : undefined;
  if (current !== undefined) throw new DetailError(402, budgetText(held.budget, current));
}
