import { isMessageId } from '@parley/protocol/delivery/ids';
import type { MessagingContext } from '../messaging-context.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { isOffered } from '../records/execution-states.ts';
import { topics } from '../records/wakes.ts';
import type { MessageRow, MessageView, Travel } from '../records/message-row.ts';
import { readMessage } from '../records/message-store.ts';

/** What is not due yet is the sender's alone. */
export async function visibleMessage(
  context: MessagingContext,
  ownerId: string,
  id: string,
  otherwise: 'message_not_found' | 'reply_to_not_found' = 'message_not_found',
): Promise<MessageView> {
  const { read } = context.database;
  const message = isMessageId(id) ? await readMessage(read, ownerId, id) : undefined;
  const hidden = message?.queued_at === null && message.sender_owner !== ownerId;
  if (!message || hidden) throw new DeliveryError(otherwise);
  return message;
}

/** Holds while a live offer is open, so that the sender learns who took it; undefined when there is none. */
export async function settledMessage(
  context: MessagingContext,
  ownerId: string,
  { message, travel }: { message: MessageRow; travel: Travel },
  waitMs: number,
  signal: AbortSignal,
): Promise<MessageView | undefined> {
  if (!isOffered(travel)) return undefined;
  return await context.wakes.hold({
    topic: topics.execution(message.execution_id),
    waitMs,
    signal,
    look: () => visibleMessage(context, ownerId, message.id),
    isDone: (seen) => !isOffered(seen),
  });
}
