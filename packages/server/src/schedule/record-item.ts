import type { JournalEntry } from '../continuity/journal.ts';
import { canonicalJson } from '../continuity/capsule/canonical.ts';
import type { Tx } from '../platform/database/database.ts';
import { type ItemRow, items } from './item-store.ts';
import { itemPath, type ScheduleContext } from './schedule-context.ts';

/** The item as it lies among the files of an export: what is stored of it, in the canonical form of its metadata. */
export function itemDocument(row: ItemRow): string {
  const kept = items.names.filter((name) => name !== 'owner_id').map((name) => [name, row[name]]);
  return canonicalJson({ ...Object.fromEntries(kept), metadata: JSON.parse(row.metadata) as unknown });
}

export async function recordItem(
  { journal }: Pick<ScheduleContext, 'journal'>,
  tx: Tx,
  row: ItemRow,
  { operation, peerId, now }: { operation: JournalEntry['operation']; peerId: string; now: number },
): Promise<void> {
  await journal.record(tx, {
    ownerId: row.owner_id,
    kind: 'schedule',
    slug: row.schedule_id,
    operation,
    path: itemPath(row.schedule_id),
    document: itemDocument(row),
    now,
    peerId,
    commitMessage: `schedule: ${operation.slice('schedule.'.length)} ${row.schedule_id}`,
  });
}
