import { LAST_INSTANT } from '@parley/protocol/delivery/fields';
import { messageCreate } from '@parley/protocol/delivery/requests/message-schemas';
import type { Tx } from '../../platform/database/database.ts';
import type { AgentRef } from '../../wire/caller.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { Origin } from '../records/message-row.ts';
import { heldPlan } from './held-plan.ts';
import { LoopTripped, passLoopGuard } from './loops/loop-breaker.ts';
import { type MessageDraft, newMessage } from './new-message.ts';
import { takeReceipt } from './receipts.ts';
import { storeMessage } from './storing.ts';

export interface HouseMessage {
  readonly from: AgentRef;
  /** An agent of the same owner, by suffix. */
  readonly to: string;
  readonly origin: Origin;
  readonly subject: string;
  readonly body: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * What other modules have to tell an agent becomes a message to it, in the transaction of what it tells of. It takes whatever way
 * the agent's messages take. It counts for no quota, but agents that answer each other this way are stopped like others.
 */
export function houseMail(context: MessagingContext) {
  return {
    post: (tx: Tx, message: HouseMessage) => post(context, tx, message),
    ack: (tx: Tx, ownerId: string, messageId: string) => ack(context, tx, ownerId, messageId),
  };
}

export type HouseMail = ReturnType<typeof houseMail>;

/** The id of the message; undefined when there is nobody to get it, or the loop guard holds it back. */
async function post(
  context: MessagingContext,
  tx: Tx,
  { from, to, origin, ...message }: HouseMessage,
): Promise<string | undefined> {
  const { recipients, clock, settings, random } = context;
  const recipient = await recipients.find(tx, to);
  if (!recipient || recipient.ownerId !== from.ownerId) return undefined;
  const now = clock.now();
  const body = messageCreate.parse({ ...message, to: recipient.slug });
  const plan = await heldPlan(context, tx, recipient, body, now);
  if (!plan) return undefined;
  const draft: MessageDraft = {
    body,
    sender: { ...from, origin },
    recipient,
    priority: body.priority,
    expiresAt: Math.min(now + settings.messageTtlMs, LAST_INSTANT),
    now,
  };
  const row = newMessage(draft, random);
  try {
    const step = await passLoopGuard(context, tx, { message: row, said: body, parent: undefined });
    await storeMessage(context, tx, row, plan, [step], { counted: false });
    return row.id;
  } catch (error) {
    if (error instanceof LoopTripped) return undefined;
    throw error;
  }
}

/** The recipient has dealt with what the message told of. One that is over already stays as it is. */
async function ack(context: MessagingContext, tx: Tx, ownerId: string, messageId: string): Promise<void> {
  try {
    await takeReceipt(context, tx, ownerId, messageId, 'acked');
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
  }
}
