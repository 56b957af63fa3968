import type { Tx } from '../../../platform/database/database.ts';
import type { ExecutionChange, ExecutionObserver } from '../../records/execution-ends.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import { isTerminal, succeeded } from '../../records/execution-states.ts';
import { CHAIN_JOB } from './chains.ts';
import type { CueContext } from '../cue-context.ts';
import { type CueRow, onFailureOf } from '../record/cue-row.ts';
import { countRun, lockAnyCue, patchCue } from '../record/cue-store.ts';
import { changeStatus } from '../record/status-changes.ts';
import { NEXT_JOB } from './waiting-runs.ts';

/** What the end of a run, and the news about its outcome, mean for its cue. */
export const cueConsequences = (context: CueContext): ExecutionObserver => ({
  judged: (tx, change) => judged(context, tx, change),
  ended: (tx, change) => ended(context, tx, change),
});

/** What still has to be proven, or was not, starts nothing. */
const proven = ({ outcome_state: state }: ExecutionRow): boolean =>
  state !== 'verification_failed' && state !== 'verification_pending';

/**
 * Claimed or not: a worker whose claim was taken back may report late. Attempts of webhooks are counted as they begin, and what
 * nobody claimed in time was reported by nobody.
 */
const byWorker = ({ channel, status }: ExecutionRow): boolean =>
  (channel === 'bg' || channel === 'live') && status !== 'missed';

async function ended(context: CueContext, tx: Tx, { before, after }: ExecutionChange): Promise<void> {
  const cue = await cueOf(tx, after);
  if (!cue) return;
  const lastRun = context.clock.now();
  await patchCue(tx, cue.id, { last_run: lastRun });
  await context.retention.runEnded(tx, cue);
  await settle(context, tx, { ...cue, last_run: lastRun }, after, !isTerminal(before.status));
  if (cue.overlap === 'queue') {
    // Replaced, for one that is under way may have looked too early.
    await context.jobs.enqueue(tx, NEXT_JOB, cue.id, { key: cue.id, onConflict: 'replace' });
  }
}

async function settle(
  context: CueContext,
  tx: Tx,
  cue: CueRow,
  execution: ExecutionRow,
  first: boolean,
): Promise<void> {
  const over = cue.schedule_type === 'once' && cue.next_run === null;
  if (succeeded(execution)) {
    if (over) await changeStatus(context, tx, cue, 'once_succeeded');
    await fireNext(context, tx, cue, execution);
  } else if (first) {
    const changed = await finalFailure(context, tx, cue);
    await context.failures.tell((sink) => sink.cueFailed?.(tx, { cue: changed, execution }));
  } else if (over) await changeStatus(context, tx, cue, 'once_failed');
}

/**
 * A run came to a bad end and there is no further attempt: failed, missed, not claimed by a live session, or silent past its
 * deadline. In this order: a single run makes its cue failed, `on_failure.pause` pauses a recurring one, then the alarm is
 * raised. The cue is locked by the caller.
 */
async function finalFailure(context: CueContext, tx: Tx, cue: CueRow): Promise<CueRow> {
  if (cue.schedule_type === 'once') {
    // A single time that was set anew, or not fired yet, is still to come.
    return cue.next_run === null ? await changeStatus(context, tx, cue, 'once_failed') : cue;
  }
  if (cue.status === 'active' && onFailureOf(cue).pause) {
    return await changeStatus(context, tx, cue, 'paused');
  }
  return cue;
}

async function judged(context: CueContext, tx: Tx, { before, after }: ExecutionChange): Promise<void> {
  const reported = before.outcome_success === null && after.outcome_success !== null;
  const worked = reported && byWorker(after);
  const sameStatus = before.status === after.status && isTerminal(after.status);
  if (!worked && !sameStatus) return;
  const cue = await cueOf(tx, after);
  if (!cue) return;
  if (worked) await countRun(tx, cue.id);
  // The news of an execution that ends with it are told by that.
  if (sameStatus) await settle(context, tx, cue, after, false);
}

async function cueOf(tx: Tx, execution: ExecutionRow): Promise<CueRow | undefined> {
  if (execution.source !== 'cue') return undefined;
  return await lockAnyCue(tx, execution.cue_id);
}

/** In a job of its own: the next cue may have an agent, whose sessions are locked before executions are. */
async function fireNext(context: CueContext, tx: Tx, cue: CueRow, execution: ExecutionRow): Promise<void> {
  if (cue.on_success_fire === null || !proven(execution)) return;
  await context.jobs.enqueue(tx, CHAIN_JOB, execution.id, { key: execution.id });
}
