import type { Reader } from '../../platform/database/database.ts';
import type { ItemRow } from '../item-store.ts';

interface Tables {
  schedule_items: ItemRow;
}

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
  let query = reader.kysely<Tables>().selectFrom('schedule_items').selectAll();
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (peer !== undefined) query = query.where('created_by', '=', peer);
  query = open
    ? query.where('status', '=', 'pending').orderBy('due_at').orderBy('schedule_id')
    : query
        .where('status', 'in', ['acknowledged', 'done', 'retired'])
        .orderBy('due_at', 'desc')
        .orderBy('schedule_id', 'desc');
  return await query.limit(limit).offset(offset).execute();
}
