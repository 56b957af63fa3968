import { hash } from 'node:crypto';
import { SCHEDULE_KINDS, SCHEDULE_STATUSES } from '@parley/protocol/schedule/vocabulary';
import { createItem, SCHEDULE_ID } from '@parley/protocol/schedule/requests';
import { z } from 'zod';
import { canonicalJson } from '../continuity/capsule/canonical.ts';
import type { ForeignOutcome, Taking } from '../continuity/import/foreign-folder.ts';
import type { Journal } from '../continuity/journal.ts';
import type { Tx } from '../platform/database/database.ts';
import { saidOf } from './item.ts';
import { findByKey, findItem, insertItem, type ItemRow, openStore, updateItem } from './item-store.ts';
import { itemDocument, recordItem } from './record-item.ts';

const { title, note, due_at: time, task_id: link, metadata } = createItem.shape;

/** As an export writes it. */
const stored = z.object({
  schedule_id: z.string().regex(SCHEDULE_ID),
  kind: z.enum(SCHEDULE_KINDS),
  status: z.enum(SCHEDULE_STATUSES),
  title,
  note,
  due_at: time,
  created_at: time,
  updated_at: time,
  created_by: z.string().min(1),
  updated_by: z.string().min(1),
  terminal_at: time.nullable(),
  terminal_by: z.string().nullable(),
  terminal_reason: z.string().nullable(),
  task_id: link,
  thread_id: link,
  subject_kind: createItem.shape.subject_kind,
  subject_id: link,
  idempotency_key: link,
  metadata,
  version: z.int().min(1),
  create_identity_json: z.string(),
  create_identity_hash: z.string(),
});

type TakenItem = Omit<ItemRow, 'owner_id'>;

/** An item from elsewhere, or what is wrong with it. Who was to be woken is an agent of the server it comes from: here nobody is. */
export function itemFrom(value: unknown): TakenItem | string {
  const { data } = stored.safeParse(value);
  if (!data) return 'not the JSON of a schedule item';
  if (hash('sha256', data.create_identity_json) !== data.create_identity_hash) {
    return 'create_identity_hash is not that of create_identity_json';
  }
  return {
    ...data,
    ...saidOf(data),
    metadata: canonicalJson(data.metadata ?? {}),
    wake_agent: null,
  };
}

export async function takeItem(
  journal: Journal,
  tx: Tx,
  item: TakenItem,
  { ownerId, peerId, now, raw }: Taking,
): Promise<ForeignOutcome> {
  const row = { ...item, owner_id: ownerId };
  await openStore(tx, row.owner_id, now);
  const present = await findItem(tx, row.owner_id, row.schedule_id);
  if (present && itemDocument({ ...present, wake_agent: null }) === itemDocument(row))
    return { kind: 'unchanged' };
  const error = await conflictOf(tx, row, present, raw);
  if (error !== undefined) return { kind: 'refused', error };
  if (present) await updateItem(tx, present, row);
  else if (!(await insertItem(tx, row)))
    return {
      kind: 'refused',
      error: 'an item with its id or idempotency_key came in at the same moment; try again',
    };
  await recordItem({ journal }, tx, row, { operation: 'schedule.import', peerId, now });
  return { kind: 'taken' };
}

async function conflictOf(
  tx: Tx,
  row: ItemRow,
  present: ItemRow | undefined,
  raw: boolean,
): Promise<string | undefined> {
  if (present && !raw && present.version > row.version) return 'a newer version of it is there';
  const { idempotency_key: key } = row;
  const other = key === null ? undefined : await findByKey(tx, row.owner_id, key);
  return other && other.schedule_id !== row.schedule_id
    ? `${other.schedule_id} has its idempotency_key`
    : undefined;
}
