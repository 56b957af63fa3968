import type { Tx } from '../../../platform/database/database.ts';
import type { JobRun } from '../../../platform/jobs/job.ts';
import { lockJourney } from '../../executions/journeys.ts';
import { executionById } from '../../records/execution-store.ts';
import { lockSessions } from '../../sessions/session-store.ts';
import type { CueContext } from '../cue-context.ts';
import { cueById, lockAnyCue } from '../record/cue-store.ts';
import { setOutNow } from '../firing/firing.ts';
import { nextQueued } from './run-store.ts';

/** A fire that was given a time of its own. */
export const LATER_JOB = 'delivery.cue_later';
/** A run is over: the next of those that wait behind it may begin. */
export const NEXT_JOB = 'delivery.cue_next';

/** Executions that exist and have not set out yet. */
export function defineWaitingRuns(context: CueContext): void {
  const { jobs, database } = context;
  jobs.define<string>(LATER_JOB, {
    concurrency: 16,
    handler: ({ payload }, run) => begin(context, payload, run),
  });
  jobs.define<string>(NEXT_JOB, {
    concurrency: 16,
    async handler({ payload }, run) {
      const next = await nextQueued(database.read, payload);
      if (next !== undefined) await begin(context, next, run, payload);
    },
  });
}

async function begin(context: CueContext, id: string, run: JobRun, behind?: string): Promise<void> {
  const { database } = context;
  const seen = await executionById(database.read, id);
  await database.write(async (tx) => {
    // As a detach does: first the sessions, then what they are offered.
    if (seen?.target != null) await lockSessions(tx, seen.target);
    // One at a time: two ends of runs must not let two begin.
    if (behind !== undefined) await lockAnyCue(tx, behind);
    if (behind === undefined || (await nextQueued(tx, behind)) === id) await setOut(context, tx, id);
    await run.complete(tx);
  });
}

async function setOut(context: CueContext, tx: Tx, id: string): Promise<void> {
  const journey = await lockJourney(tx, id);
  const execution = journey?.execution;
  if (execution?.status !== 'pending' || execution.channel !== null) return;
  const cue = await cueById(tx, execution.cue_id);
  if (cue) await setOutNow(context, tx, cue, execution);
}
