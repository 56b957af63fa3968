import type { agentWakeReceipt } from '@parley/protocol/delivery/wake-routes';
import type { BodyOf } from '@parley/protocol/route';
import type { Tx } from '../../platform/database/database.ts';
import type { AgentRef } from '../../wire/caller.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { changeExecution, ownJourney } from '../executions/journeys.ts';
import { takeBridged, takeInvoked } from '../messages/receipts.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { readMessage } from '../records/message-store.ts';
import { traceStep } from '../routing/trace.ts';
import * as store from './receipt-store.ts';

/** A bridge says what it did. There is no end to what one could say, so only the last of an agent are kept. */
const KEPT = 500;

type WakeReceipt = BodyOf<typeof agentWakeReceipt>;

/**
 * What the bridge of an agent says about a wake. Each stage is written once, with the time it was heard of, and proves those
 * before it.
 *
 * | stage       | the bridge says                                              | the sender sees                     |
 * |-------------|--------------------------------------------------------------|-------------------------------------|
 * | `delivered` | it is on the disk of the agent's machine, with its text      | `proven_stage`                      |
 * | `invoked`   | the agent was started with it, or told                       | `proven_stage`, or the routing trace of the execution |
 * | `resumed`   | the agent came to a good end, or says that it took it up     | what the agent itself did with it   |
 */
export async function noteWake(
  context: MessagingContext,
  agent: AgentRef,
  receipt: WakeReceipt,
): Promise<store.ReceiptRow> {
  const { database, clock } = context;
  const { kind, id: ref, stage, bridge = null } = receipt;
  return await database.write(async (tx) => {
    await tx.lock(`delivery.wakes:${agent.suffix}`);
    const known = await store.findReceipt(tx, agent.suffix, { kind, ref });
    const now = clock.now();
    const invoked = stage === 'delivered' ? (known?.invoked_at ?? null) : (known?.invoked_at ?? now);
    const first = invoked !== null && known?.invoked_at == null;
    await tellSender(context, tx, agent, receipt, first);
    const row: store.ReceiptRow = {
      agent: agent.suffix,
      kind,
      ref,
      bridge: known?.bridge ?? bridge,
      delivered_at: known?.delivered_at ?? now,
      invoked_at: invoked,
      resumed_at: known?.resumed_at ?? (stage === 'resumed' ? now : null),
      updated_at: now,
    };
    await tx.run(store.putReceipt(row));
    await store.forgetOlder(tx, agent.suffix, KEPT);
    return row;
  });
}

/** What is delivery's own is looked up, must be the agent's, and is told to its sender. Turns and handoffs are told by what the agent does in them. */
async function tellSender(
  context: MessagingContext,
  tx: Tx,
  agent: AgentRef,
  { kind, id, bridge = null }: WakeReceipt,
  isInvoked: boolean,
): Promise<void> {
  const { ownerId, suffix } = agent;
  if (kind === 'message') {
    const message = await readMessage(tx, ownerId, id);
    if (message?.recipient !== suffix) throw new DeliveryError('message_not_found');
    if (isInvoked) await takeInvoked(context, tx, ownerId, id, bridge);
    else await takeBridged(context, tx, ownerId, id);
    return;
  }
  if (kind !== 'cue') return;
  const { execution, message } = await ownJourney(tx, ownerId, id);
  if (execution.agent !== suffix && execution.target !== suffix)
    throw new DeliveryError('execution_not_found');
  if (!isInvoked) return;
  await changeExecution(context, tx, execution, {}, [
    traceStep(context.clock.now(), 'bridge', 'invoked', bridge),
  ]);
  if (message?.recipient === suffix) await takeInvoked(context, tx, ownerId, message.id, bridge);
}
