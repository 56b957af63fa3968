import type { MessagingContext } from '../messaging-context.ts';
import { messageDelivered } from '../events/event-payloads.ts';
import type { JobRun } from '../../platform/jobs/job.ts';
import { closePush, planAnew } from '../executions/live-offers.ts';
import { messagesById, patchMessage } from '../records/message-store.ts';
import { provedByPlan } from '../records/proof.ts';
import { DUE_JOB } from './storing.ts';
import { lockJourneyOf } from '../executions/journeys.ts';
import { redirectPush } from '../executions/pushes.ts';

/** Messages with a `send_at`: routed when their time has come, by what is true then. */
export function defineDueMessages(context: MessagingContext): void {
  context.jobs.define<string>(DUE_JOB, {
    concurrency: 16,
    handler: ({ payload }, run) => send(context, payload, run),
  });
}

async function send(context: MessagingContext, messageId: string, run: JobRun): Promise<void> {
  const { database, clock, recipients, tallies } = context;
  await database.write(async (tx) => {
    const to = (await messagesById(tx, [messageId])).get(messageId)?.recipient;
    // As a detach does: first the sessions, then what they are offered. An offer never goes to one that has left.
    if (to !== undefined) await recipients.lockSessions(tx, to);
    const journey = await lockJourneyOf(context, tx, messageId);
    if (journey?.message?.queued_at === null && journey.message.state === 'queued') {
      const { execution, message } = journey;
      const now = clock.now();
      const recipient = await recipients.find(tx, message.recipient);
      const plan = recipient && planAnew(context, journey, recipient);
      const patch = {
        queued_at: now,
        proven_stage: plan ? provedByPlan(plan) : message.proven_stage,
        updated_at: now,
      };
      await patchMessage(tx, messageId, patch);
      await tallies.addDue(tx, message);
      const due = { execution, message: { ...message, ...patch } };
      if (plan) context.events.note(tx, messageDelivered(message, plan.channel, context.settings.spellAgent));
      if (plan) await redirectPush(context, tx, due, plan);
      else await closePush(context, tx, due);
    }
    await run.complete(tx);
  });
}
