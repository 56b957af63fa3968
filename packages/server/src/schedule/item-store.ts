import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import type { ScheduleKind, ScheduleStatus } from '@parley/protocol/schedule/vocabulary';
import type { Reader, Tx } from '../platform/database/database.ts';
import { sql } from '../platform/database/sql.ts';
import { column, type RowOf, table } from '../platform/database/table.ts';

export const items = table('schedule_items', {
  owner_id: column<string>(),
  schedule_id: column<string>(),
  kind: column<ScheduleKind>(),
  status: column<ScheduleStatus>(),
  title: column<string>(),
  note: column<string | null>(),
  due_at: column<string>(),
  created_at: column<string>(),
  updated_at: column<string>(),
  created_by: column<string>(),
  updated_by: column<string>(),
  terminal_at: column<string | null>(),
  terminal_by: column<string | null>(),
  terminal_reason: column<string | null>(),
  task_id: column<string | null>(),
  thread_id: column<string | null>(),
  subject_kind: column<SubjectKind | null>(),
  subject_id: column<string | null>(),
  idempotency_key: column<string | null>(),
  /** JSON. */
  metadata: column<string>(),
  version: column<number>(),
  /** Who is to be woken when it is due. */
  wake_agent: column<string | null>(),
  create_identity_json: column<string>(),
  create_identity_hash: column<string>(),
});

export type ItemRow = RowOf<typeof items>;

export function findItem(reader: Reader, ownerId: string, id: string): Promise<ItemRow | undefined> {
  return reader.get<ItemRow>(items.select`WHERE owner_id = ${ownerId} AND schedule_id = ${id}`);
}

export function lockItem(tx: Tx, ownerId: string, id: string): Promise<ItemRow | undefined> {
  return tx.get<ItemRow>(items.lock(tx, 'UPDATE')`WHERE owner_id = ${ownerId} AND schedule_id = ${id}`);
}

export function findByKey(reader: Reader, ownerId: string, key: string): Promise<ItemRow | undefined> {
  return reader.get<ItemRow>(items.select`WHERE owner_id = ${ownerId} AND idempotency_key = ${key}`);
}

/** False when the id or the key is taken. */
export async function insertItem(tx: Tx, row: ItemRow): Promise<boolean> {
  return await tx.affects(items.insertNew(row));
}

export async function updateItem(tx: Tx, row: ItemRow, change: Partial<ItemRow>): Promise<void> {
  await tx.run(items.update(change)`WHERE owner_id = ${row.owner_id} AND schedule_id = ${row.schedule_id}`);
}

/** Whether the owner's schedule came into being with this. */
export async function openStore(tx: Tx, ownerId: string, now: number): Promise<boolean> {
  return await tx.affects(sql`
    INSERT INTO schedule_stores (owner_id, created_at) VALUES (${ownerId}, ${now}) ON CONFLICT DO NOTHING`);
}

export async function isStoreOpen(reader: Reader, ownerId: string): Promise<boolean> {
  return await reader.exists(sql`SELECT 1 AS open FROM schedule_stores WHERE owner_id = ${ownerId}`);
}
