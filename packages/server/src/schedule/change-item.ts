import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { ChangeItem } from '@parley/protocol/schedule/requests';
import { peerIdOf } from '../continuity/access.ts';
import { canonicalJson } from '../continuity/capsule/canonical.ts';
import type { JournalEntry } from '../continuity/journal.ts';
import { given } from '../platform/database/built.ts';
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

type Wanted = Partial<ItemRow>;

/** Replaces some of an item that is there. `wantedOf` says what, where that is anything, or refuses. */
export async function replaceIn(
  context: ScheduleContext,
  caller: Caller,
  scheduleId: string,
  replacing: {
    readonly operation: JournalEntry['operation'];
    /** The version it is based on; null: whichever it is. */
    readonly expectedVersion: number | null;
    readonly now: number;
  },
  wantedOf: (row: ItemRow, at: string) => Wanted | undefined,
): Promise<Changed> {
  const { database, stores, wakes } = context;
  const { operation, expectedVersion, now } = replacing;
  const warnings = await stores.open(caller.ownerId, now);
  return await database.write(async (tx) => {
    const row = await lockItem(tx, caller.ownerId, scheduleId);
    if (!row) throw scheduleNotFound(scheduleId, warnings);
    if (expectedVersion !== null && row.version !== expectedVersion) {
      throw scheduleError('schedule_version_conflict', 'expected_version');
    }
    const at = isoSeconds(now);
    const wanted = wantedOf(row, at);
    if (!wanted) return { row, updated: false, warnings };
    const peerId = peerIdOf(caller);
    const next = { ...wanted, updated_at: at, updated_by: peerId, version: row.version + 1 };
    const changed = { ...row, ...next };
    await updateItem(tx, row, next);
    await recordItem(context, tx, changed, { operation, peerId, now });
    await wakes.plan(tx, changed, row);
    return { row: changed, updated: true, warnings };
  });
}

/** What is given replaces what is there. A change to what is there already is none. */
export async function changeItem(
  context: ScheduleContext,
  caller: Caller,
  scheduleId: string,
  change: ChangeItem,
  now: number,
): Promise<Changed> {
  const asking = change.wake === true ? (await context.directory.acting(caller)).suffix : null;
  const replacing = { operation: 'schedule.update', expectedVersion: change.expected_version, now } as const;
  return await replaceIn(context, caller, scheduleId, replacing, (row, at) => {
    if (row.status !== 'pending') throw scheduleError('schedule_status_conflict', 'status');
    if (change.due_at !== undefined && change.due_at <= at)
      throw scheduleError('due_at_not_future', 'due_at');
    const wanted = wantedBy(change, row, asking);
    if (!isLinked({ ...row, ...wanted })) throw scheduleError('invalid_schedule_link', 'kind');
    return isSame(row, wanted) ? undefined : wanted;
  });
}

function wantedBy(change: ChangeItem, row: ItemRow, asking: string | null): Wanted {
  const { expected_version: _version, metadata, wake, ...named } = change;
  return {
    ...given(named),
    ...(metadata !== undefined && { metadata: canonicalJson(metadata ?? {}) }),
    // Who asked first is woken.
    ...(wake !== undefined && { wake_agent: wake === true ? (row.wake_agent ?? asking) : null }),
  };
}

const isSame = (row: ItemRow, wanted: Wanted): boolean =>
  Object.entries(wanted).every(([name, value]) => row[name as keyof ItemRow] === value);
