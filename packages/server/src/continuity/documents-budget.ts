import { budgetText } from '../config/budgets.ts';
import type { Tx } from '../platform/database/database.ts';
import { DetailError } from '../wire/memory/errors.ts';
import type { MemoryContext } from './memory-context.ts';

/** Before a document is created: one account must not fill the store of all. */
export async function requireRoom(
  { documents, settings }: Pick<MemoryContext, 'documents' | 'settings'>,
  tx: Tx,
  ownerId: string,
): Promise<void> {
  const { budget } = settings;
  if (budget.limit === null) return;
  const current = await documents.take(tx, ownerId, 1, budget.limit);
  if (current !== undefined) throw new DetailError(402, budgetText(budget, current));
}

/** Before a document grows. Capsules, reminders and what agents exchange are small, and are counted only. */
export async function requireBytes(
  { bytes, settings }: Pick<MemoryContext, 'bytes' | 'settings'>,
  tx: Tx,
  ownerId: string,
  more: number,
): Promise<void> {
  const { byteBudget } = settings;
  if (byteBudget.limit === null || more <= 0) return;
  const current = await bytes.take(tx, ownerId, more, byteBudget.limit);
  if (current !== undefined) throw new DetailError(402, budgetText(byteBudget, current));
}
