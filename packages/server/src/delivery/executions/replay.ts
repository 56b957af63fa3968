import { NO_FALLBACK } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { uuid } from '../../platform/ids.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { firstStatus, isTerminal } from '../records/execution-states.ts';
import { isOver } from '../records/message-states.ts';
import type { MessageRow } from '../records/message-row.ts';
import { lockMessage, patchMessage } from '../records/message-store.ts';
import { further, provedByPlan } from '../records/proof.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { attestedFor, insertExecution } from '../records/execution-store.ts';
import { requestOf } from './live-offers.ts';
import { planPush, type PushPlan } from '../routing/push-plan.ts';
import { lockSessions } from '../sessions/session-store.ts';
import { announcePush, missedColumns, UNTRIED } from './pushes.ts';
import { ownJourney } from './journeys.ts';
import { writeMissed } from './outcome-row.ts';

/** Runs what is over once more, as a new execution with the same payload, routed by what is true now. */
export function replayExecution(
  context: MessagingContext,
  ownerId: string,
  id: string,
): Promise<ExecutionRow> {
  return context.database.write(async (tx) => {
    const target = await attestedFor(tx, ownerId, id);
    // As a detach does: first the sessions, then what they are offered.
    if (target != null) await lockSessions(tx, target);
    const { execution } = await ownJourney(tx, ownerId, id);
    if (!isTerminal(execution.status)) throw new DeliveryError('execution_in_flight');
    return await again(context, tx, execution);
  });
}

async function again(context: MessagingContext, tx: Tx, original: ExecutionRow): Promise<ExecutionRow> {
  const { recipients, clock, settings, random } = context;
  const { message_id: messageId } = original;
  const message = messageId === null ? undefined : await lockMessage(tx, messageId);
  const target = message?.recipient ?? original.agent;
  const recipient = await recipients.find(tx, target);
  if (!recipient) throw new DeliveryError('agent_not_found', 'the agent it went to was deleted');
  const now = clock.now();
  const plan = planPush(recipient, requestOf(original, message), { now, ...settings });
  const execution = repeated(original, plan, uuid(random), now);
  await insertExecution(tx, execution);
  await context.tallies.addExecutions(tx, execution.owner_id, 1);
  if (plan.action === 'miss') await writeMissed(context, tx, { execution, message }, NO_FALLBACK, now);
  // A message that is over stays so; else it travels with the new execution from now on.
  const travelling =
    message && !isOver(message.state) ? await travel(context, tx, message, execution, plan) : undefined;
  await announcePush(context, tx, execution, travelling);
  return execution;
}

async function travel(
  context: MessagingContext,
  tx: Tx,
  message: MessageRow,
  { id }: ExecutionRow,
  plan: PushPlan,
): Promise<MessageRow> {
  const patch = {
    execution_id: id,
    warning: plan.warning,
    proven_stage: further(message.proven_stage, provedByPlan(plan)),
    updated_at: context.clock.now(),
  };
  await patchMessage(tx, message.id, patch);
  return { ...message, ...patch };
}

function repeated(original: ExecutionRow, plan: PushPlan, id: string, now: number): ExecutionRow {
  return {
    ...original,
    ...UNTRIED,
    ...plan.columns,
    status: firstStatus({ missed: plan.action === 'miss' }),
    ...(plan.action === 'miss' && missedColumns(NO_FALLBACK, plan.missReason)),
    id,
    triggered_by: 'replay',
    replayed_from: original.id,
    scheduled_for: now,
    trace: JSON.stringify(plan.trace),
    created_at: now,
    updated_at: now,
  };
}
