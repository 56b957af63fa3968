import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Job, JobRun } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { isFresh } from '../routing/freshness.ts';
import type { Recipients } from '../routing/recipient.ts';
import type { DeliverySettings } from '../settings.ts';
import { heldOffers } from '../records/execution-store.ts';

const LOOK_JOB = 'delivery.held_look';
const EVERY_MS = 5_000;

export interface HeldOffersOptions {
  database: Database;
  clock: Clock;
  jobs: Jobs;
  settings: DeliverySettings;
  recipients: Recipients;
}

/**
 * Offers that wait for a live session. A beat by call or stream says itself that the session is fresh again; one by a
 * heartbeat file says nothing, so while something waits the files are looked at.
 */
export class HeldOffers {
  readonly #options: HeldOffersOptions;
  #offer: ((tx: Tx, agent: string) => Promise<void>) | undefined;

  constructor(options: HeldOffersOptions) {
    this.#options = options;
    options.jobs.define<string>(LOOK_JOB, { concurrency: 4, handler: (job, run) => this.#look(job, run) });
  }

  /** Who makes the offers, once there is somebody to take them. */
  offerBy(offer: (tx: Tx, agent: string) => Promise<void>): void {
    this.#offer = offer;
  }

  /** In the transaction that holds an offer. One look serves all that wait for an agent. */
  async watch(tx: Tx, agent: string): Promise<void> {
    const { jobs, settings } = this.#options;
    if (settings.heartbeatDir === undefined) return;
    // Replaced, for a look that is under way may have missed this one; the time stays the same.
    await jobs.enqueue(tx, LOOK_JOB, agent, { key: agent, dueAt: this.#nextLook(), onConflict: 'replace' });
  }

  async #look(job: Job<string>, run: JobRun): Promise<void> {
    const { database, recipients } = this.#options;
    await database.write(async (tx) => {
      // As a detach does: first the sessions, then what they are offered.
      await recipients.lockSessions(tx, job.payload);
      if (await this.#somebodyIsFresh(tx, job.payload)) await this.#offer?.(tx, job.payload);
      if ((await heldOffers(tx, job.payload)).length > 0) job.retryAt(this.#nextLook());
      else await run.complete(tx);
    });
  }

  async #somebodyIsFresh(tx: Tx, agent: string): Promise<boolean> {
    const { recipients, clock, settings } = this.#options;
    const sessions = await recipients.sessions(tx, agent);
    return sessions.some(({ beatAt }) => isFresh(beatAt, clock.now(), settings.heartbeatThresholdMs));
  }

  #nextLook(): number {
    return (Math.floor(this.#options.clock.now() / EVERY_MS) + 1) * EVERY_MS;
  }
}
