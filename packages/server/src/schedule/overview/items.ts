import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { ScheduleItem } from '@parley/protocol/schedule/item';
import type { ScheduleContext } from '../schedule-context.ts';
import { itemOf } from '../item.ts';
import { type ItemAsk, itemsLately } from '../list-store.ts';

/** What people see of the schedules across agents; damaged rows are left out. */
export async function items(
  { database, clock }: Pick<ScheduleContext, 'database' | 'clock'>,
  ask: ItemAsk,
): Promise<{ ownerId: string; item: ScheduleItem | undefined }[]> {
  const now = isoSeconds(clock.now());
  const rows = await itemsLately(database.read, ask);
  return rows.map((row) => ({ ownerId: row.owner_id, item: itemOf(row, now) }));
}
