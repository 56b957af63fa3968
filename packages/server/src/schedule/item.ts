import { parsedObject } from '@parley/protocol/json';
import type { MetadataValue, ScheduleItem } from '@parley/protocol/schedule/item';
import type { CreateItem } from '@parley/protocol/schedule/requests';
import { SCHEDULE_KINDS, SCHEDULE_STATUSES } from '@parley/protocol/schedule/vocabulary';
import { type ItemRow, items } from './item-store.ts';

/** Undefined for a row that somebody has damaged. `now` is a text of whole seconds. */
export function itemOf(row: ItemRow, now: string): ScheduleItem | undefined {
  const metadata = metadataOf(row.metadata);
  if (!metadata || !SCHEDULE_KINDS.includes(row.kind) || !SCHEDULE_STATUSES.includes(row.status))
    return undefined;
  if (!SECONDS.test(row.due_at)) return undefined;
  const {
    owner_id: _owner,
    create_identity_json: _json,
    create_identity_hash: _hash,
    wake_agent: agent,
    schedule_id,
    kind,
    status,
    ...rest
  } = items.of(row);
  const derived_state = derivedState(row, now);
  return {
    schedule_id,
    kind,
    status,
    derived_state,
    ...rest,
    metadata,
    ...(agent !== null && { wake: true }),
  };
}

/** Damaged rows are left out and named. */
export function readable(
  rows: readonly ItemRow[],
  now: string,
): { items: ScheduleItem[]; warnings: string[] } {
  const shown: ScheduleItem[] = [];
  const warnings: string[] = [];
  for (const row of rows) {
    const item = itemOf(row, now);
    if (item) shown.push(item);
    else warnings.push(`schedule_row_invalid:${row.schedule_id}`);
  }
  return { items: shown, warnings: warnings.length === 0 ? [] : [...warnings, 'schedule_rows_skipped'] };
}

const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function derivedState({ status, due_at: dueAt }: ItemRow, now: string): ScheduleItem['derived_state'] {
  if (status !== 'pending') return 'terminal';
  return dueAt <= now ? 'due' : 'scheduled';
}

const metadataOf = (text: string) => parsedObject(text) as Record<string, MetadataValue> | undefined;

/** What an item was said to be: columns as they are kept, null for what was left out. */
export const saidOf = (item: Omit<CreateItem, 'schedule_id' | 'metadata' | 'wake'>) => ({
  kind: item.kind,
  title: item.title,
  note: item.note ?? null,
  due_at: item.due_at,
  task_id: item.task_id ?? null,
  thread_id: item.thread_id ?? null,
  subject_kind: item.subject_kind ?? null,
  subject_id: item.subject_id ?? null,
  idempotency_key: item.idempotency_key ?? null,
});
