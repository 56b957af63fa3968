import type { Tx } from '../../platform/database/database.ts';
import type { Job, JobRun } from '../../platform/jobs/job.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { heldOffers } from '../records/execution-store.ts';
import { isFresh } from '../routing/freshness.ts';
import { HELD_JOB, nextLook } from './held-watch.ts';
import { offerHeld } from './live-offers.ts';

/** Looks whether a session is fresh again for which offers are held. */
export function defineHeldLook(context: MessagingContext): void {
  context.jobs.define<string>(HELD_JOB, { concurrency: 4, handler: (job, run) => look(context, job, run) });
}

async function look(context: MessagingContext, job: Job<string>, run: JobRun): Promise<void> {
  const { database, recipients } = context;
  await database.write(async (tx) => {
    // As a detach does: first the sessions, then what they are offered.
    await recipients.lockSessions(tx, job.payload);
    if (await somebodyIsFresh(context, tx, job.payload)) await offerHeld(context, tx, job.payload);
    if ((await heldOffers(tx, job.payload)).length > 0) job.retryAt(nextLook(context));
    else await run.complete(tx);
  });
}

async function somebodyIsFresh(context: MessagingContext, tx: Tx, agent: string): Promise<boolean> {
  const { recipients, clock, settings } = context;
  const sessions = await recipients.sessions(tx, agent);
  return sessions.some(({ beatAt }) => isFresh(beatAt, clock.now(), settings.heartbeatThresholdMs));
}
