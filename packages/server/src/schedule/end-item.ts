import type { AcknowledgedAs, ScheduleStatus } from '@parley/protocol/schedule/vocabulary';
import { peerIdOf } from '../continuity/access.ts';
import type { Caller } from '../wire/caller.ts';
import { type Changed, replaceIn } from './change-item.ts';
import { scheduleError } from './errors.ts';
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
  const operation = status === 'retired' ? 'schedule.retire' : 'schedule.acknowledge';
  const given = { operation, expectedVersion, now } as const;
  return await replaceIn(context, caller, scheduleId, given, (row, at) => {
    const move = TABLE[row.status][status];
    if (move === 'repeats' && row.terminal_reason === reason) return undefined;
    if (move !== 'ends') throw scheduleError('schedule_status_conflict', 'status');
    if (expectedVersion === null) throw scheduleError('invalid_schedule_version', 'expected_version');
    return { status, terminal_at: at, terminal_by: peerIdOf(caller), terminal_reason: reason };
  });
}
