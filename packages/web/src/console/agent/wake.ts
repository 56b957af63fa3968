import { messageSend } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { api } from '../data.ts';

/** A message that asks for nothing: how far it comes shows whether an agent is reached. */
export const wakeTest = (address: string, owner: string): Promise<MessageAnswer> =>
  api.call<MessageAnswer>(
    messageSend,
    {
      body: {
        to: address,
        subject: 'Wake test',
        body: 'This is a test from the console. No answer is needed; acknowledge it, and the path in the console ends well.',
      },
    },
    owner,
  );
