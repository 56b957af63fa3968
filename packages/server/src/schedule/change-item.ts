import type { ChangeItem } from '@parley/protocol/schedule/requests';
import { peerIdOf } from '../continuity/access.ts';
import { canonicalJson } from '../continuity/capsule/canonical.ts';
import { wholeSeconds } from '../continuity/capsule/instant.ts';
import type { Caller } from '../wire/caller.ts';
import { isLinked } from './create-item.ts';
import { scheduleError, scheduleNotFound } from './errors.ts';
import { type ItemRow, lockItem, updateItem } from './item-store.ts';
import { recordItem } from './record-item.ts';
import type { ScheduleContext } from './schedule-context.ts';

export interface Changed {
  readonly row: ItemRow;
  readonly updated: boolean;
  readonly warnings: readonly string[];
}

/** What is given replaces what is there. A change to what is there already is none. */
export async function changeItem(
  context: ScheduleContext,
  caller: Caller,
  scheduleId: string,
  change: ChangeItem,
  now: number,
): Promise<Changed> {
  const { database, stores, wakes } = context;
  const asking = change.wake === true ? (await context.directory.acting(caller)).suffix : null;
  const warnings = await stores.open(caller.ownerId, now);
  return await database.write(async (tx) => {
    const row = await lockItem(tx, database.dialect, caller.ownerId, scheduleId);
    if (!row) throw scheduleNotFound(scheduleId, warnings);
    if (row.version !== change.expected_version) {
      throw scheduleError('schedule_version_conflict', 'expected_version');
    }
    if (row.status !== 'pending') throw scheduleError('schedule_status_conflict', 'status');
    const at = wholeSeconds(now);
    if (change.due_at !== undefined && change.due_at <= at)
      throw scheduleError('due_at_not_future', 'due_at');
    const wanted = wantedBy(change, row, asking);
    if (!isLinked({ ...row, ...wanted })) throw scheduleError('invalid_schedule_link', 'kind');
    if (isSame(row, wanted)) return { row, updated: false, warnings };
    const peerId = peerIdOf(caller);
    const next = { ...wanted, updated_at: at, updated_by: peerId, version: row.version + 1 };
    const changed = { ...row, ...next };
    await updateItem(tx, row, next);
    await recordItem(context, tx, changed, { operation: 'schedule.update', peerId, now });
    await wakes.plan(tx, changed, row);
    return { row: changed, updated: true, warnings };
  });
}

type Wanted = Partial<ItemRow>;

function wantedBy(change: ChangeItem, row: ItemRow, asking: string | null): Wanted {
  const { expected_version: _version, metadata, wake, ...given } = change;
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(named),
    ...(metadata !== undefined && { metadata: canonicalJson(metadata ?? {}) }),
    // Who asked first is woken.
    ...(wake !== undefined && { wake_agent: wake === true ? (row.wake_agent ?? asking) : null }),
  };
}

const isSame = (row: ItemRow, wanted: Wanted): boolean =>
  Object.entries(wanted).every(([name, value]) => row[name as keyof ItemRow] === value);
