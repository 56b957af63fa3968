import type { CuePatch } from '@parley/protocol/delivery/types';
import type { Tx } from '../../../platform/database/database.ts';
import type { Caller } from '../../../wire/caller.ts';
import { DeliveryError } from '../../../wire/delivery/errors.ts';
import { lockCuesOf, mayLive, type StoredCue } from './creating.ts';
import type { CueContext } from '../cue-context.ts';
import { checkNext, checkUrls, checkWays, namedAgent, scheduleToCome } from './cue-input.ts';
import { type CuePatchRow, type CueRow, payloadOf } from '../record/cue-row.ts';
import { mayFire, nextCueStatus } from '../record/cue-states.ts';
import { lockCue, nameTaken, patchCue } from '../record/cue-store.ts';
import { saidColumns } from './new-cue.ts';
import { nextAfter } from '../schedule/schedule.ts';
import { countStatus } from '../record/status-changes.ts';
import { startTimer, stopTimer } from '../firing/timers.ts';

export async function changeCue(
  context: CueContext,
  caller: Caller,
  id: string,
  patch: CuePatch,
): Promise<StoredCue> {
  const { clock, database } = context;
  const now = clock.now();
  if (Object.values(patch).every((value) => value === undefined)) throw new DeliveryError('no_fields');
  const columns = await patchedColumns(context, caller, id, patch, now);
  const warning = await checkUrls(context, [patch.callback?.url, patch.on_failure?.webhook]);
  const cue = await database.write(async (tx) => {
    await lockCuesOf(tx, caller.ownerId);
    const before = await lockCue(tx, caller.ownerId, id);
    if (!before) throw new DeliveryError('cue_not_found');
    if (columns.name !== undefined && (await nameTaken(tx, caller.ownerId, columns.name, id))) {
      throw new DeliveryError('duplicate_cue_name');
    }
    if (!mayFire(before.status) && patch.status === 'active') await mayLive(context, tx, caller);
    return await change(context, tx, before, columns, patch.status, now);
  });
  return { cue, warning };
}

async function change(
  context: CueContext,
  tx: Tx,
  before: CueRow,
  columns: CuePatchRow,
  asked: 'active' | 'paused' | undefined,
  now: number,
): Promise<CueRow> {
  const planned = { ...before, ...columns };
  checkWays(planned, payloadOf(planned));
  const status = statusAfter(before, asked);
  const rescheduled = columns.timezone !== undefined || columns.jitter_seconds !== undefined;
  const moved = status !== before.status || (rescheduled && status === 'active');
  const nextRun = moved ? nextRunOf(before, { ...planned, status }, now) : before.next_run;
  const after = { ...planned, status, next_run: nextRun, updated_at: now };
  if (moved) await stopTimer(context, tx, before);
  await patchCue(tx, before.id, { ...columns, status, next_run: nextRun, updated_at: now });
  await countStatus(context, tx, before, status);
  // One that was never fired and is resumed after its time fires at once.
  if (moved) await startTimer(context, tx, after, nextRun !== null && nextRun <= now);
  return after;
}

function statusAfter({ status }: CueRow, asked: 'active' | 'paused' | undefined): CueRow['status'] {
  if (asked === undefined || asked === status) return status;
  const next = nextCueStatus(status, asked === 'active' ? 'resumed' : 'paused');
  if (next === undefined)
    throw new DeliveryError('invalid_state', `a cue that is ${status} cannot be paused`);
  return next;
}

function nextRunOf(before: CueRow, cue: CueRow, now: number): number | null {
  if (cue.status !== 'active') return null;
  const next = nextAfter(cue, now);
  if (next !== undefined) return next;
  if (cue.at !== null && before.fired_count === 0) return cue.at;
  throw new DeliveryError('invalid_schedule', 'its only time has passed; give it a new one', { status: 409 });
}

/** The columns that the patch names, checked as far as the cue itself does not matter. */
async function patchedColumns(
  context: CueContext,
  caller: Caller,
  id: string,
  patch: CuePatch,
  now: number,
): Promise<CuePatchRow> {
  const { name, schedule, agent, to, on_success_fire: next } = patch;
  const ref = agent === undefined ? to : agent;
  if (next !== undefined) await checkNext(context, caller.ownerId, next, id);
  return {
    ...(name !== undefined && { name }),
    ...(schedule && scheduleToCome(schedule, now)),
    ...(ref !== undefined && { agent: await namedAgent(context, caller, ref) }),
    ...saidColumns(patch),
  };
}
