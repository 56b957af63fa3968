import { isMessageId } from '@parley/protocol/delivery/ids';
import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import type { Tx } from '../../platform/database/database.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { answerRecipient, nextMessageState } from '../records/message-states.ts';
import type { MessageRow } from '../records/message-row.ts';
import { patchMessage, readMessage } from '../records/message-store.ts';
import { advanceMessage, proofOf } from '../records/message-moves.ts';
import { lockJourneyOf } from '../executions/journeys.ts';
import { reaches } from '../records/proof.ts';
import { handOver } from '../executions/hand-over.ts';

/** What a recipient says about a message: read, or done with. */
export async function giveReceipt(
  context: MessagingContext,
  ownerId: string,
  id: string,
  receipt: 'read' | 'acked',
): Promise<MessageRow> {
  const { database, recipients } = context;
  const message = await database.write((tx) => takeReceipt(context, tx, ownerId, id, receipt));
  recipients.seen(message.recipient);
  return message;
}

/** The same as part of a write. */
export async function takeReceipt(
  context: MessagingContext,
  tx: Tx,
  ownerId: string,
  id: string,
  receipt: 'read' | 'acked',
): Promise<MessageRow> {
  const { clock } = context;
  const journey = await lockReceived(tx, ownerId, id);
  const { state, queued_at: queuedAt, expires_at: expiresAt } = journey.message;
  const over = expiresAt < clock.now() && nextMessageState(state, 'expired') !== undefined;
  const answer = answerRecipient(over ? 'expired' : state, receipt);
  if (answer.kind === 'refused') throw notPossible(over ? 'expired' : state);
  if (queuedAt === null) throw notPossible('scheduled');
  if (answer.kind === 'unchanged') return journey.message;
  await handOver(context, tx, [journey.execution], receipt);
  return await advanceMessage(context, tx, journey.message, receipt);
}

/** A bridge of the recipient's started the agent. That happened, whatever became of the message since; the first one counts. */
export async function noteInvoked(
  context: MessagingContext,
  ownerId: string,
  id: string,
  bridge: string | null,
): Promise<MessageRow> {
  return await context.database.write((tx) => takeInvoked(context, tx, ownerId, id, bridge));
}

/** The same as part of a write. */
export async function takeInvoked(
  context: MessagingContext,
  tx: Tx,
  ownerId: string,
  id: string,
  bridge: string | null,
): Promise<MessageRow> {
  const { clock } = context;
  const { message } = await lockReceived(tx, ownerId, id);
  if (message.queued_at === null) throw notPossible('scheduled');
  if (message.invoked_at !== null) return message;
  const change = {
    ...proofOf(message, 'invoked', clock.now()),
    invoked_at: clock.now(),
    invoked_by: bridge,
  };
  await patchMessage(tx, id, change);
  return { ...message, ...change };
}

/** A bridge of the recipient's has the text, as an endpoint that answered has it. */
export async function takeBridged(
  context: MessagingContext,
  tx: Tx,
  ownerId: string,
  id: string,
): Promise<void> {
  const { message } = await lockReceived(tx, ownerId, id);
  if (message.queued_at === null) throw notPossible('scheduled');
  if (reaches(message.proven_stage, 'delivered')) return;
  await patchMessage(tx, id, proofOf(message, 'delivered', context.clock.now()));
}

/** Only for whoever got it; nobody else changes it until the commit. */
async function lockReceived(tx: Tx, ownerId: string, id: string) {
  const seen = isMessageId(id) ? await readMessage(tx, ownerId, id) : undefined;
  if (!seen) throw new DeliveryError('message_not_found');
  if (seen.recipient_owner !== ownerId) throw new DeliveryError('not_recipient');
  const journey = await lockJourneyOf(tx, id);
  if (!journey) throw new DeliveryError('message_not_found');
  return journey;
}

const notPossible = (state: MessageState | 'scheduled'): DeliveryError =>
  new DeliveryError('invalid_state_transition', `the message is ${state}`);
