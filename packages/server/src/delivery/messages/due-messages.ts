import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { JobRun } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Journeys } from '../executions/journeys.ts';
import type { LiveOffers } from '../executions/live-offers.ts';
import { requestOf } from '../executions/live-offers.ts';
import { planPush } from '../routing/push-plan.ts';
import type { Pushes } from '../executions/pushes.ts';
import type { Recipients } from '../routing/recipient.ts';
import { messagesById, patchMessage } from '../records/message-store.ts';
import { provedByPlan } from '../records/proof.ts';
import { DUE_JOB } from './storing.ts';
import type { Tallies } from '../records/tallies.ts';

export interface DueMessagesOptions {
  database: Database;
  clock: Clock;
  jobs: Jobs;
  recipients: Recipients;
  journeys: Journeys;
  offers: LiveOffers;
  pushes: Pushes;
  tallies: Tallies;
}

/** Messages with a `send_at`: routed when their time has come, by what is true then. */
export class DueMessages {
  readonly #options: DueMessagesOptions;

  constructor(options: DueMessagesOptions) {
    this.#options = options;
  }

  define(): void {
    this.#options.jobs.define<string>(DUE_JOB, {
      concurrency: 16,
      handler: ({ payload }, run) => this.#send(payload, run),
    });
  }

  async #send(messageId: string, run: JobRun): Promise<void> {
    const { database, clock, recipients, journeys, offers, pushes, tallies } = this.#options;
    await database.write(async (tx) => {
      const to = (await messagesById(tx, [messageId])).get(messageId)?.recipient;
      // As a detach does: first the sessions, then what they are offered. An offer never goes to one that has left.
      if (to !== undefined) await recipients.lockSessions(tx, to);
      const journey = await journeys.lockMessage(tx, messageId);
      if (journey?.message?.queued_at === null && journey.message.state === 'queued') {
        const { execution, message } = journey;
        const now = clock.now();
        const recipient = await recipients.find(tx, message.recipient);
        const plan = recipient && planPush(recipient, requestOf(execution, message), offers.times);
        const patch = {
          queued_at: now,
          proven_stage: plan ? provedByPlan(plan) : message.proven_stage,
          updated_at: now,
        };
        await patchMessage(tx, messageId, patch);
        await tallies.addDue(tx, message);
        const due = { execution, message: { ...message, ...patch } };
        if (plan) await pushes.redirect(tx, due, plan);
        else await offers.close(tx, due);
      }
      await run.complete(tx);
    });
  }
}
