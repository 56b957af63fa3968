import type { MessagingContext } from '../messaging-context.ts';
import { messageDelivered } from '../records/event-payloads.ts';
import type { Tx } from '../../platform/database/database.ts';
import { closePush, planAnew } from '../executions/live-offers.ts';
import { messagesById, patchMessage } from '../records/message-store.ts';
import { provedByPlan } from '../records/proof.ts';
import { lockSessions } from '../sessions/session-store.ts';
import { DUE_JOB } from './storing.ts';
import { lockJourneyOf } from '../executions/journeys.ts';
import { redirectPush } from '../executions/pushes.ts';

/** Messages with a `send_at`: routed when their time has come, by what is true then. */
export function defineDueMessages(context: MessagingContext): void {
  context.jobs.defineWrite<string>(DUE_JOB, (tx, id) => setOut(context, tx, id), { concurrency: 16 });
}

async function setOut(context: MessagingContext, tx: Tx, messageId: string): Promise<undefined> {
  const { clock, recipients, tallies, events, settings } = context;
  const to = (await messagesById(tx, [messageId])).get(messageId)?.recipient;
  // As a detach does: first the sessions, then what they are offered. An offer never goes to one that has left.
  if (to !== undefined) await lockSessions(tx, to);
  const journey = await lockJourneyOf(tx, messageId);
  if (journey?.message.queued_at !== null || journey.message.state !== 'queued') return;
  const { execution, message } = journey;
  const now = clock.now();
  const recipient = await recipients.find(tx, message.recipient);
  const plan = recipient && planAnew(context, journey, recipient);
  const proved = plan ? provedByPlan(plan) : message.proven_stage;
  const patch = { queued_at: now, proven_stage: proved, updated_at: now };
  await patchMessage(tx, messageId, patch);
  await tallies.addDue(tx, message);
  const due = { execution, message: { ...message, ...patch } };
  if (!plan) {
    await closePush(context, tx, due);
    return;
  }
  events.note(tx, messageDelivered(message, plan.columns.channel, settings.spellAgent));
  await redirectPush(context, tx, due, plan);
}
