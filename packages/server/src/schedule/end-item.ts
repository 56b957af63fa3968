import type { AcknowledgedAs, ScheduleStatus } from '@parley/protocol/schedule/vocabulary';
import { peerIdOf } from '../continuity/access.ts';
import { wholeSeconds } from '../continuity/capsule/instant.ts';
import type { Caller } from '../wire/caller.ts';
import type { Changed } from './change-item.ts';
import { scheduleError, scheduleNotFound } from './errors.ts';
import { lockItem, updateItem } from './item-store.ts';
import { recordItem } from './record-item.ts';
import type { ScheduleContext } from './schedule-context.ts';

type EndedAs = AcknowledgedAs | 'retired';

/**
 * | from \ to            | `acknowledged`, `done`                   | `retired`                              |
 * |----------------------|------------------------------------------|----------------------------------------|
 * | `pending`            | ends                                     | ends                                   |
 * | `acknowledged`, `done` | the same with the same reason: nothing; else refused | ends                     |
 * | `retired`            | refused                                  | with the same reason: nothing; else refused |
 *
 * Ending needs the version it is based on. Nothing brings an item back.
 */
const TABLE: Readonly<Record<ScheduleStatus, Readonly<Record<EndedAs, 'ends' | 'repeats' | 'refused'>>>> = {
  pending: { acknowledged: 'ends', done: 'ends', retired: 'ends' },
  acknowledged: { acknowledged: 'repeats', done: 'refused', retired: 'ends' },
  done: { acknowledged: 'refused', done: 'repeats', retired: 'ends' },
  retired: { acknowledged: 'refused', done: 'refused', retired: 'repeats' },
};

export interface Ending {
  readonly status: EndedAs;
  readonly reason: string | null;
  readonly expectedVersion: number | null;
}

export async function endItem(
  context: ScheduleContext,
  caller: Caller,
  scheduleId: string,
  { status, reason, expectedVersion }: Ending,
  now: number,
): Promise<Changed> {
  const { database, stores, wakes } = context;
  const warnings = await stores.open(caller.ownerId, now);
  return await database.write(async (tx) => {
    const row = await lockItem(tx, database.dialect, caller.ownerId, scheduleId);
    if (!row) throw scheduleNotFound(scheduleId, warnings);
    if (expectedVersion !== null && expectedVersion !== row.version) {
      throw scheduleError('schedule_version_conflict', 'expected_version');
    }
    const move = TABLE[row.status][status];
    if (move === 'repeats' && row.terminal_reason === reason) return { row, updated: false, warnings };
    if (move !== 'ends') throw scheduleError('schedule_status_conflict', 'status');
    if (expectedVersion === null) throw scheduleError('invalid_schedule_version', 'expected_version');
    const at = wholeSeconds(now);
    const peerId = peerIdOf(caller);
    const next = {
      status,
      terminal_at: at,
      terminal_by: peerId,
      terminal_reason: reason,
      updated_at: at,
      updated_by: peerId,
      version: row.version + 1,
    };
    const ended = { ...row, ...next };
    await updateItem(tx, row, next);
    const operation = status === 'retired' ? 'schedule.retire' : 'schedule.acknowledge';
    await recordItem(context, tx, ended, { operation, peerId, now });
    await wakes.plan(tx, ended, row);
    return { row: ended, updated: true, warnings };
  });
}
