import { MAX_REPLAYED } from '@parley/protocol/delivery/limits';
import type { CueBackfill } from '@parley/protocol/delivery/types';
import { DeliveryError, validationError } from '../../../wire/delivery/errors.ts';
import type { CueContext } from '../cue-context.ts';
import type { CueRow } from '../record/cue-row.ts';
import { mayFire } from '../record/cue-states.ts';
import { countFire, lockCue } from '../record/cue-store.ts';
import { scheduledFire } from './fire.ts';
import { FireRound } from './fire-round.ts';
import { fireLater, fireNow } from './firing.ts';
import { hasOpenRun, runsAt } from '../runs/run-store.ts';
import { nextTimes } from '../schedule/schedule.ts';
import { targetOfFire } from './targets.ts';

export interface BackfilledRun {
  readonly at: number;
  /** Null: it would be made. */
  readonly executionId: string | null;
  readonly existed: boolean;
}

/** Runs of a recurring cue for times that have passed. A time that has one gets no second. */
export async function backfill(
  context: CueContext,
  cue: CueRow,
  { from, to, dry_run: dryRun }: CueBackfill,
): Promise<BackfilledRun[]> {
  const { database, clock } = context;
  const times = timesOf(cue, from, Math.min(to, clock.now()));
  const known = await runsAt(database.read, cue.id, { from, to });
  if (dryRun) {
    return times.map((at) => ({ at, executionId: known.get(at) ?? null, existed: known.has(at) }));
  }
  if (!mayFire(cue.status)) {
    throw new DeliveryError('invalid_state', `a cue that is ${cue.status} cannot be fired`);
  }
  const target = await targetOfFire(context, scheduledFire(cue, clock.now()));
  return await database.write(async (tx) => {
    const locked = await lockCue(tx, cue.owner_id, cue.id);
    if (!locked) throw new DeliveryError('cue_not_found');
    const there = await runsAt(tx, cue.id, { from, to });
    const round = new FireRound(context, tx);
    const runs: BackfilledRun[] = [];
    for (const at of times) {
      const existing = there.get(at);
      const waits = locked.overlap === 'queue' && (await hasOpenRun(tx, cue.id));
      const fire = scheduledFire(locked, at);
      const made =
        existing === undefined
          ? await (waits ? fireLater(round, fire, target, 'queued') : fireNow(round, fire, target))
          : undefined;
      runs.push({ at, executionId: existing ?? made?.id ?? null, existed: existing !== undefined });
    }
    const count = runs.filter(({ existed }) => !existed).length;
    await countFire(tx, cue.id, { fired: count, executions: count });
    await round.close();
    return runs;
  });
}

function timesOf(cue: CueRow, from: number, to: number): number[] {
  if (cue.schedule_type === 'once') {
    throw new DeliveryError('invalid_schedule', 'only a recurring cue has times to fill in');
  }
  if (from > to) {
    throw validationError([{ field: 'body.to', message: 'must come after from, and from must be past' }]);
  }
  const times = nextTimes(cue, from - 1, MAX_REPLAYED + 1).filter((at) => at <= to);
  if (times.length <= MAX_REPLAYED) return times;
  throw validationError([
    { field: 'body.to', message: `there are more than ${MAX_REPLAYED} times; take a shorter part` },
  ]);
}
