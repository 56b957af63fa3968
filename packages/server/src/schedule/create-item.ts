import { hash } from 'node:crypto';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { CreateItem } from '@parley/protocol/schedule/requests';
import { peerIdOf } from '../continuity/access.ts';
import { canonicalJson } from '../continuity/capsule/canonical.ts';
import type { Reader } from '../platform/database/database.ts';
import type { Caller } from '../wire/caller.ts';
import { scheduleError } from './errors.ts';
import { saidOf } from './item.ts';
import { findByKey, findItem, insertItem, type ItemRow } from './item-store.ts';
import { recordItem } from './record-item.ts';
import type { ScheduleContext } from './schedule-context.ts';

/** A new item, or the one that the same request has made before. */
export async function createItem(context: ScheduleContext, caller: Caller, item: CreateItem, now: number) {
  if (!isLinked(item)) throw scheduleError('invalid_schedule_link', 'kind');
  const agent = item.wake === true ? (await context.directory.acting(caller)).suffix : null;
  const row = newRow(caller, item, isoSeconds(now), agent);
  return await context.database.write(async (tx) => {
    const warnings = await context.stores.openIn(tx, caller.ownerId, now);
    const present = await repeated(tx, row);
    if (present) return { row: present, created: false, warnings };
    if (row.due_at <= row.created_at) throw scheduleError('due_at_not_future', 'due_at');
    await context.room(tx, caller.ownerId);
    if (await insertItem(tx, row)) {
      await recordItem(context, tx, row, { operation: 'schedule.create', peerId: row.created_by, now });
      await context.wakes.plan(tx, row);
      return { row, created: true, warnings };
    }
    // Somebody was faster with the id or the key: with the same request, or with another.
    const other = await repeated(tx, row);
    if (other) return { row: other, created: false, warnings };
    throw await conflictOf(tx, row);
  });
}

/** A nudge has to be about something. */
export const isLinked = ({
  kind,
  task_id: task,
  thread_id: thread,
  subject_id: subject,
}: Pick<CreateItem, 'kind' | 'task_id' | 'thread_id' | 'subject_id'>): boolean =>
  kind !== 'task_nudge' || task != null || thread != null || subject != null;

/** The stored item, however it was changed since, if this request made it. */
async function repeated(reader: Reader, row: ItemRow): Promise<ItemRow | undefined> {
  const [byId, byKey] = await sameNames(reader, row);
  const found = byId ?? byKey;
  if (!found || (byId && byKey && byId.schedule_id !== byKey.schedule_id)) return undefined;
  const same =
    found.create_identity_hash === row.create_identity_hash &&
    found.create_identity_json === row.create_identity_json;
  return same ? found : undefined;
}

async function conflictOf(reader: Reader, row: ItemRow): Promise<Error> {
  const [, byKey] = await sameNames(reader, row);
  return byKey
    ? scheduleError('idempotency_key_conflict', 'idempotency_key')
    : scheduleError('schedule_id_conflict', 'schedule_id');
}

async function sameNames(
  reader: Reader,
  { owner_id: ownerId, schedule_id: id, idempotency_key: key }: ItemRow,
): Promise<[ItemRow | undefined, ItemRow | undefined]> {
  const byId = await findItem(reader, ownerId, id);
  return [byId, key === null ? undefined : await findByKey(reader, ownerId, key)];
}

function newRow(caller: Caller, item: CreateItem, now: string, agent: string | null): ItemRow {
  const peer = peerIdOf(caller);
  const said = saidOf(item);
  const { metadata, wake } = item;
  // What makes two requests the same one. The caller is part of it, the id is not. That somebody wants to be woken is told only
  // where it is so.
  const identity = canonicalJson({
    ...said,
    metadata: metadata ?? {},
    created_by: peer,
    ...(wake === true && { wake }),
  });
  const digest = hash('sha256', identity);
  return {
    ...said,
    owner_id: caller.ownerId,
    schedule_id: item.schedule_id ?? `sched_${digest.slice(0, 32)}`,
    status: 'pending',
    created_at: now,
    updated_at: now,
    created_by: peer,
    updated_by: peer,
    terminal_at: null,
    terminal_by: null,
    terminal_reason: null,
    metadata: canonicalJson(metadata ?? {}),
    version: 1,
    wake_agent: agent,
    create_identity_json: identity,
    create_identity_hash: digest,
  };
}
