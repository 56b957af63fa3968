import { MAX_REPLAYED } from '@parley/protocol/delivery/limits';
import { type CueRow, scheduleOf } from '../record/cue-row.ts';
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
  const schedule = scheduleOf(cue);
  const missed = (time: number): boolean => now - dueAt(cue, time) > ON_TIME_MS;
  if (cue.schedule_type === 'once') {
    const skipped = !late && cue.catch_up === 'skip_missed' && missed(at);
    return { fire: skipped ? [] : [at], nextRun: null, skippedOnce: skipped };
  }
  const nextRun = nextAfter(schedule, now) ?? null;
  // The times that have come since. The first of them is the one the timer is for.
  const passed = [at, ...latestTimes(schedule, at, now, MAX_REPLAYED)].slice(-MAX_REPLAYED);
  if (cue.catch_up === 'replay_all_missed') return { fire: passed, nextRun, skippedOnce: false };
  const [latest] = passed.slice(-1);
  if (latest === undefined || (cue.catch_up === 'skip_missed' && missed(latest))) {
    return { fire: [], nextRun, skippedOnce: false };
  }
  return { fire: [latest], nextRun, skippedOnce: false };
}
