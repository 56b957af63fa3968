import * as routes from '@parley/protocol/delivery/message-routes';
import type { message } from '@parley/protocol/delivery/answers/message-answers';
import { MESSAGE_STATES } from '@parley/protocol/delivery/vocabulary';
import type { z } from 'zod';
import { type Calls, ourAgent } from '../calling.ts';
import { theOne } from '../the-one.ts';

export type Message = z.infer<typeof message>;

/** A message by its id, or by a beginning that only one of the latest has. */
export async function findMessage(caller: Calls, said: string): Promise<Message> {
  if (/^msg_[a-z0-9]{12,}$/.test(said))
    return await caller.call<Message>(routes.messageReadOne, { path: [said] });
  const path = [await ourAgent(caller)];
  const found: Message[] = [];
  for (const [route, query] of [
    [routes.inbox, { limit: 100, peek: true, state: EVERY_STATE }],
    [routes.sent, { limit: 100 }],
  ] as const) {
    found.push(...(await caller.call<{ messages: Message[] }>(route, { path, query })).messages);
  }
  return theOne(said.startsWith('msg_') ? said : `msg_${said}`, {
    noun: 'message',
    among: found,
    idOf: ({ id }) => id,
    hint: '"parley inbox --all" and "parley sent" show the latest',
  });
}

export const EVERY_STATE = MESSAGE_STATES.join(',');
