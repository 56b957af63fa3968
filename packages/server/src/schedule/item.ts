import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { type MetadataValue, type ScheduleItem } from '@parley/protocol/schedule/item';
import { SCHEDULE_KINDS, SCHEDULE_STATUSES } from '@parley/protocol/schedule/vocabulary';
import { isObject } from '@parley/protocol/continuity/preserve-nulls';
import type { ItemRow } from './item-store.ts';

/** Undefined for a row that somebody has damaged. `now` is a text of whole seconds. */
export function itemOf(row: ItemRow, now: string): ScheduleItem | undefined {
  const metadata = metadataOf(row.metadata);
  if (!metadata || !SCHEDULE_KINDS.includes(row.kind) || !SCHEDULE_STATUSES.includes(row.status))
    return undefined;
  if (!SECONDS.test(row.due_at)) return undefined;
  return {
    schedule_id: row.schedule_id,
    kind: row.kind,
    status: row.status,
    derived_state: derivedState(row, now),
    title: row.title,
    note: row.note,
    due_at: row.due_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_by: row.created_by,
    updated_by: row.updated_by,
    terminal_at: row.terminal_at,
    terminal_by: row.terminal_by,
    terminal_reason: row.terminal_reason,
    task_id: row.task_id,
    thread_id: row.thread_id,
    // The column holds what the schema let through.
    subject_kind: row.subject_kind as SubjectKind | null,
    subject_id: row.subject_id,
    idempotency_key: row.idempotency_key,
    metadata,
    version: row.version,
    ...(row.wake_agent !== null && { wake: true }),
  };
}

const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function derivedState({ status, due_at: dueAt }: ItemRow, now: string): ScheduleItem['derived_state'] {
  if (status !== 'pending') return 'terminal';
  return dueAt <= now ? 'due' : 'scheduled';
}

function metadataOf(text: string): Record<string, MetadataValue> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as Record<string, MetadataValue>) : undefined;
  } catch {
    return undefined;
  }
}
