import { MAX_REPLAYED } from '@parley/protocol/delivery/limits';
import type { CueRow } from '../record/cue-row.ts';
import { latestTimes, nextAfter } from '../schedule/schedule.ts';
import { dueAt } from './timers.ts';

/**
 * Which times of a cue are fired when its timer is found due, and what it waits for then. A time counts as missed when it is
 * found later than a busy server or a change of nodes explains.
 *
 * | `catch_up` | missed times | the one that is not missed |
 * | --- | --- | --- |
 * | `run_once_if_missed` | the latest, unless a later time fires by itself | fires |
 * | `skip_missed` | none | fires |
 * | `replay_all_missed` | the latest hundred, each for itself | fires |
 */
export interface DueTimes {
  readonly fire: readonly number[];
  readonly nextRun: number | null;
  /** A single time that was let go: there will be no run. */
  readonly skippedOnce: boolean;
}

const ON_TIME_MS = 15_000;

export function dueTimes(cue: CueRow, at: number, now: number, late: boolean): DueTimes {
  const missed = (time: number): boolean => now - dueAt(cue, time) > ON_TIME_MS;
  if (cue.schedule_type === 'once') {
    const skipped = !late && cue.catch_up === 'skip_missed' && missed(at);
    return { fire: skipped ? [] : [at], nextRun: null, skippedOnce: skipped };
  }
  // The times that have come since. The first of them is the one the timer is for.
  const passed = [at, ...latestTimes(cue, at, now, MAX_REPLAYED)].slice(-MAX_REPLAYED);
  const last = passed.at(-1) ?? at;
  // A time that is spread is fired when its own moment has come.
  const waits = last !== at && dueAt(cue, last) > now;
  const nextRun = waits ? last : (nextAfter(cue, now) ?? null);
  const due = waits ? passed.slice(0, -1) : passed;
  return { fire: ofThose(cue, due, missed), nextRun, skippedOnce: false };
}

function ofThose(
  { catch_up: policy }: CueRow,
  due: readonly number[],
  missed: (time: number) => boolean,
): readonly number[] {
  if (policy === 'replay_all_missed') return due;
  const onTime = due.filter((time) => !missed(time));
  return onTime.length > 0 || policy === 'skip_missed' ? onTime : due.slice(-1);
}
