import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { ScheduleItem } from '@parley/protocol/schedule/item';
import type { ListItems } from '@parley/protocol/schedule/requests';
import type { Caller } from '../wire/caller.ts';
import { itemOf } from './item.ts';
import type { ItemRow } from './item-store.ts';
import { pageOfItems } from './list-store.ts';
import type { ScheduleContext } from './schedule-context.ts';
import { reading } from './storage-trouble.ts';

/** A page of items; what is wrong with the store is part of the answer. */
export async function listItems(
  context: ScheduleContext,
  caller: Caller,
  query: ListItems,
  now: number,
): Promise<object> {
  const { limit, offset } = query;
  const at = isoSeconds(now);
  return await reading<object>(
    context,
    async () => {
      const opened = await context.stores.open(caller.ownerId, now);
      const { rows, total } = await pageOfItems(context.database.read, caller.ownerId, query, at);
      const { items, warnings } = readable(rows, at);
      const all = [...opened, ...warnings];
      return { ok: true, count: items.length, total, limit, offset, items, warnings: all };
    },
    (word) => ({ ok: false, count: 0, total: 0, limit, offset, items: [], warnings: [word] }),
  );
}

/** Damaged rows are left out and named. */
export function readable(
  rows: readonly ItemRow[],
  now: string,
): { items: ScheduleItem[]; warnings: string[] } {
  const items: ScheduleItem[] = [];
  const warnings: string[] = [];
  for (const row of rows) {
    const item = itemOf(row, now);
    if (item) items.push(item);
    else warnings.push(`schedule_row_invalid:${row.schedule_id}`);
  }
  return { items, warnings: warnings.length === 0 ? [] : [...warnings, 'schedule_rows_skipped'] };
}
