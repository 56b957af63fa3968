import { DEFAULT_MISSED_WINDOWS } from '@parley/protocol/delivery/limits';
import type { Tx } from '../../platform/database/database.ts';
import { iso } from '../../wire/delivery/times.ts';
import { alertsOf, type CueRow } from '../cues/record/cue-row.ts';
import { lockAnyCue } from '../cues/record/cue-store.ts';
import { latestSuccess } from '../cues/runs/run-store.ts';
import { WatchedCues } from '../cues/runs/watched-cues.ts';
import { nextTimes } from '../cues/schedule/schedule.ts';
import { type AlertContext, raiseAlert } from './alerts.ts';
import { DAY } from '../../platform/units.ts';

interface Watch {
  readonly cueId: string;
  /** From when on a success is missed. */
  readonly since: number;
}

const WATCH_JOB = 'delivery.missed_window';
/** What the last run in a window has left to succeed in, where the schedule has longer and shorter gaps. */
const LAST_RUN_MS = 15 * 60_000;
/** A week of a cue that runs once a day. */
const TIMES_SEEN = 8;

/**
 * Notices a recurring cue that runs and never succeeds, or whose runs nobody ends. The first fire makes a job for the end of
 * the window, `missed_window_multiplier` times the time between two runs. When that is due:
 *
 *   succeeded meanwhile ─→ looks again one window after that
 *   did not             ─→ raises the alert, and looks again one window later
 *   is paused or gone   ─→ ends; the next fire begins anew
 */
export class MissedWindows {
  readonly #context: AlertContext;
  readonly #watched = new WatchedCues();

  constructor(context: AlertContext) {
    this.#context = context;
    context.jobs.defineWrite<Watch>(WATCH_JOB, (tx, watch) => this.#look(tx, watch), { concurrency: 16 });
  }

  async cueFires(tx: Tx, cue: CueRow): Promise<void> {
    const { clock, jobs } = this.#context;
    const now = clock.now();
    if (this.#watched.has(cue.id, now)) return;
    const dueAt = windowEnd(cue, now);
    if (dueAt === undefined) return;
    await jobs.enqueue(tx, WATCH_JOB, { cueId: cue.id, since: now }, { key: cue.id, dueAt });
    this.#watched.add(tx, cue.id, dueAt);
  }

  async #look(tx: Tx, watch: Watch): Promise<number | undefined> {
    const { clock } = this.#context;
    const now = clock.now();
    const cue = await lockAnyCue(tx, watch.cueId);
    if (cue?.status !== 'active' || cue.schedule_type !== 'recurring') return undefined;
    // A run may have been made a while before it succeeded.
    const window = (windowEnd(cue, now) ?? now) - now;
    const success = await latestSuccess(tx, cue.id, now - 2 * window - DAY);
    const since = Math.max(success ?? 0, watch.since, cue.updated_at);
    const end = windowEnd(cue, since);
    if (end === undefined || end > now) return end;
    await this.#raise(tx, cue, success ?? null);
    return windowEnd(cue, now) ?? now + DAY;
  }

  async #raise(tx: Tx, cue: CueRow, success: number | null): Promise<void> {
    const multiplier = multiplierOf(cue);
    await raiseAlert(this.#context, tx, {
      owner_id: cue.owner_id,
      alert_type: 'missed_window',
      cue_id: cue.id,
      execution_id: null,
      agent: cue.agent,
      subject: cue.id,
      message: `${cue.name}: no success for ${multiplier} times its interval`,
      metadata: {
        cue_name: cue.name,
        missed_window_multiplier: multiplier,
        last_success_at: success === null ? null : iso(success),
      },
    });
  }
}

const multiplierOf = (cue: CueRow): number =>
  alertsOf(cue)?.missed_window_multiplier ?? DEFAULT_MISSED_WINDOWS;

/**
 * Undefined when it has no further times. The interval is the shortest of those to come: whichever day it is, a cue of working
 * days is given until its run after the weekend, and no longer.
 */
function windowEnd(cue: CueRow, since: number): number | undefined {
  const multiplier = multiplierOf(cue);
  const times = nextTimes(cue, since, Math.max(TIMES_SEEN, Math.ceil(multiplier)));
  const [first, ...later] = times;
  if (first === undefined || later.length === 0) return undefined;
  const interval = Math.min(...later.map((at, before) => at - (times[before] ?? at)));
  const last = times[Math.ceil(multiplier) - 1] ?? first;
  const even = since + multiplier * interval;
  return last <= even ? even : last + Math.min(interval, LAST_RUN_MS);
}
