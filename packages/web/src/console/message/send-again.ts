import { executionReplay } from '@parley/protocol/delivery/execution-routes';
import { messageReadOne, messageSend } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { DeliveryError } from '@parley/sdk/delivery/delivery-error';
import { api } from '../data.ts';

/** The same words to the same agent, in the same thread: as whoever sent them, where that is the person's to do. */
export async function sendAgain(id: string, owner: string | undefined): Promise<MessageAnswer> {
  const message = await api.call<MessageAnswer>(messageReadOne, { path: [id] }, owner);
  return await api.call<MessageAnswer>(
    messageSend,
    {
      body: {
        to: message.to,
        body: message.body,
        ...(message.subject !== null && { subject: message.subject }),
        reply_to: message.id,
        priority: message.priority,
        delivery_mode: message.delivery_mode,
      },
    },
    owner,
  );
}

/** The same message by the way that is open now. Only the recipient's owner may ask for that; others send it again. */
export async function tryAgain(id: string, owner: string | undefined): Promise<void> {
  const { execution_id: run } = await api.call<MessageAnswer>(messageReadOne, { path: [id] }, owner);
  try {
    await api.call(executionReplay, { path: [run] }, owner);
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.status !== 404) throw error;
    await sendAgain(id, owner);
  }
}
