import { MAX_CONSECUTIVE_FAILURES } from '@parley/protocol/delivery/limits';
import type { Tx } from '../../../platform/database/database.ts';
import type { Job, JobRun } from '../../../platform/jobs/job.ts';
import { countFreed } from '../../usage/usage-store.ts';
import type { MessagingContext } from '../../messaging-context.ts';
import type { CueRow } from '../record/cue-row.ts';
import { countFire, lockAnyCue } from '../record/cue-store.ts';
import { bytesOfRuns, deleteSomeRuns, runsOverSince } from './run-store.ts';
import { WatchedCues } from './watched-cues.ts';
import { DAY } from '../../../platform/units.ts';

const TRIM_JOB = 'delivery.cue_runs_over';
/** What alerts look back at is never removed, however long ago it was: a cue may run once a year. */
const KEPT = MAX_CONSECUTIVE_FAILURES;
/** Removed at a time, so that the rest leaves room for other writers. */
const STEP = 100;

/**
 * Removes runs that have been over for as long as messages are kept after their end, all but the latest of each cue. The end
 * of a run makes the job of its cue, when there is more than is kept; the job comes back as long as there is.
 */
export class RunRetention {
  readonly #context: MessagingContext;
  readonly #watched = new WatchedCues();

  constructor(context: MessagingContext) {
    this.#context = context;
    context.jobs.define<string>(TRIM_JOB, { concurrency: 2, handler: (job, run) => this.#trim(job, run) });
  }

  async runEnded(tx: Tx, { id, executions }: Pick<CueRow, 'id' | 'executions'>): Promise<void> {
    const { clock, jobs, settings } = this.#context;
    const now = clock.now();
    if (executions <= KEPT || this.#watched.has(id, now)) return;
    const dueAt = now + settings.removalAfterTerminalMs;
    await jobs.enqueue(tx, TRIM_JOB, id, { key: id, dueAt });
    this.#watched.add(tx, id, dueAt);
  }

  async #trim({ payload: cueId, retryAt }: Job<string>, { signal }: JobRun): Promise<void> {
    const { database, clock, settings } = this.#context;
    for (;;) {
      const { removed, left } = await database.write((tx) => this.#removeSome(tx, cueId));
      if (left <= KEPT) return;
      if (removed < STEP || signal.aborted) break;
    }
    retryAt(clock.now() + Math.min(DAY, settings.removalAfterTerminalMs));
  }

  async #removeSome(tx: Tx, cueId: string): Promise<{ removed: number; left: number }> {
    const { clock, settings, tallies } = this.#context;
    const cue = await lockAnyCue(tx, cueId);
    if (!cue || cue.executions <= KEPT) return { removed: 0, left: 0 };
    const before = clock.now() - settings.removalAfterTerminalMs;
    const most = Math.min(STEP, cue.executions - KEPT);
    const over = await runsOverSince(tx, cueId, before, most);
    const removed = over.length;
    if (removed === 0) return { removed, left: cue.executions };
    await deleteSomeRuns(
      tx,
      over.map(({ id }) => id),
    );
    await countFire(tx, cueId, { fired: 0, executions: -removed });
    await tallies.addExecutions(tx, cue.owner_id, -removed);
    await countFreed(tx, cue.owner_id, tallies.shard(), bytesOfRuns(over));
    return { removed, left: cue.executions - removed };
  }
}
