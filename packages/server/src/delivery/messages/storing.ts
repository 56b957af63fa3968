import { type Attachment, NO_FALLBACK } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { messageDelivered, messageReceipt } from '../records/event-payloads.ts';
import { insertExecution } from '../records/execution-store.ts';
import type { PushPlan } from '../routing/push-plan.ts';
import { writeMissed } from '../executions/outcome-row.ts';
import { announcePush } from '../executions/pushes.ts';
import { type TraceStep, traceStep } from '../routing/trace.ts';
import type { MessageRow, Travel } from '../records/message-row.ts';
import { insertMessage } from '../records/message-store.ts';
import { newExecution, routed } from './new-message.ts';
import { bytesOf, countUsage } from '../usage/usage-store.ts';
import { monthOf } from '../../platform/month.ts';

export const DUE_JOB = 'delivery.due';

/**
 * Writes a new message with its execution, its counts, and whatever watches over it. Without a plan it waits until it is due.
 */
export async function storeMessage(
  context: MessagingContext,
  tx: Tx,
  draft: MessageRow,
  plan: PushPlan | undefined,
  before: readonly TraceStep[],
  { counted, attach = null }: { counted: boolean; attach?: Attachment | null },
): Promise<{ message: MessageRow; travel: Travel }> {
  const { clock, tallies, sweeps, jobs, events, settings } = context;
  const now = clock.now();
  const message = plan ? routed(draft, plan, now) : draft;
  const trace = [
    ...before,
    ...(plan?.trace ?? [traceStep(now, 'requested', draft.delivery_mode, 'scheduled')]),
  ];
  const execution = { ...newExecution(message, plan, trace, now), attach };
  const usage = {
    ownerId: message.sender_owner,
    month: monthOf(now),
    shard: tallies.shard(),
    messages: counted ? 1 : 0,
    bytes: bytesOf(message),
  };
  // None needs the answer of another, so they go to the database together.
  await Promise.all([
    insertMessage(tx, message),
    insertExecution(tx, execution),
    tallies.addNew(tx, message),
    countUsage(tx, usage),
    sweeps.ensure(tx, message.expires_at),
  ]);
  if (!plan) {
    await jobs.enqueue(tx, DUE_JOB, message.id, { dueAt: execution.scheduled_for });
    return { message, travel: execution };
  }
  events.note(tx, messageDelivered(message, execution.channel, settings.spellAgent));
  if (plan.action === 'miss') {
    events.note(tx, messageReceipt(message, settings.spellAgent));
    await writeMissed(context, tx, { execution, message }, NO_FALLBACK, now);
  }
  await announcePush(context, tx, execution, message);
  return { message, travel: execution };
}
