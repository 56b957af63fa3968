import { given } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type ItemRow, items } from '../item-store.ts';

export interface ItemAsk {
  /** Whose; undefined: everybody's. */
  readonly ownerId: string | undefined;
  /** Whether they are still to come of, or over. */
  readonly open: boolean;
  /** Who asked for it. */
  readonly peer: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** What is open by when it is due, what is over with the latest first. */
export async function itemsLately(reader: Reader, ask: ItemAsk): Promise<ItemRow[]> {
  const { ownerId, open, peer, offset, limit } = ask;
  const order = open ? 'asc' : 'desc';
  return await items
    .from(reader)
    .selectAll()
    .where('status', 'in', open ? ['pending'] : ['acknowledged', 'done', 'retired'])
    .where((is) => is.and(given({ owner_id: ownerId, created_by: peer })))
    .orderBy('due_at', order)
    .orderBy('schedule_id', order)
    .limit(limit)
    .offset(offset)
    .execute();
}
