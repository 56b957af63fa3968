import type { Tx } from '../database/database.ts';
import type { JobQueue, JobRun } from './job.ts';
import { lockKey, oldestDeath, removeDead } from './job-store.ts';
import { HOUR } from '../units.ts';
import type { Parts } from '../parts.ts';

const KIND = 'jobs.dead';
/** There is one sweep at a time, for all of them. */
const KEY = 'sweep';
/** Rows removed in one transaction, so that no writer waits long for it. */
const BATCH = 500;
/** Jobs that died one after the other go together. */
const EVERY_MS = HOUR;

export interface DeadJobsOptions extends Pick<Parts, 'clock' | 'database'> {
  readonly jobs: JobQueue;
  readonly keepMs: number;
}

/** Jobs that gave up stay for the operator to look at, and are removed when they have been dead for long enough. */
export function deadJobs({ database, clock, jobs, keepMs }: DeadJobsOptions) {
  const sweep = (run: JobRun): Promise<void> =>
    database.write(async (tx) => {
      // Whoever buries a job meanwhile must find this sweep, and be seen by it, or find none.
      await lockKey(tx, KIND, KEY);
      const now = clock.now();
      const removed = await removeDead(tx, now - keepMs, BATCH);
      const oldest = await oldestDeath(tx);
      await run.complete(tx);
      if (oldest === undefined) return;
      const dueAt = removed === BATCH ? now : Math.max(oldest + keepMs, now + EVERY_MS);
      await jobs.enqueue(tx, KIND, null, { key: KEY, dueAt });
    });
  jobs.define(KIND, { concurrency: 1, handler: (_job, run) => sweep(run) });
  return {
    /** In the transaction that buries a job. A sweep that is due earlier will come back for it. */
    async buried(tx: Tx): Promise<void> {
      await jobs.enqueue(tx, KIND, null, { key: KEY, dueAt: clock.now() + keepMs });
    },

    /** What died under another setting, or another version, has its time by this one. */
    async start(): Promise<void> {
      const oldest = await oldestDeath(database.read);
      if (oldest === undefined) return;
      await database.write((tx) =>
        jobs.enqueue(tx, KIND, null, { key: KEY, dueAt: oldest + keepMs, onConflict: 'replace' }),
      );
    },
  };
}
