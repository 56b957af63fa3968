import { messageReadOne, messageSend } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
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
