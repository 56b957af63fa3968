import * as routes from '@parley/protocol/delivery/message-routes';
import { type Calls, ourAgent, tell, withCalls } from '../calling.ts';
import { EXIT } from '../cli-error.ts';
import { untilInterrupted } from '../interrupt.ts';
import type { ServerOptions } from '../with-server.ts';
import { followInbox } from './follow.ts';
import { EVERY_STATE, type Message } from './messages.ts';
import { showMessages } from './views.ts';

export interface InboxOptions extends ServerOptions {
  follow?: boolean | undefined;
  peek?: boolean | undefined;
  all?: boolean | undefined;
  from?: string | undefined;
  of?: string | undefined;
  limit?: number | undefined;
}

interface Box {
  messages: Message[];
}

export async function inbox(options: InboxOptions): Promise<void> {
  const { follow, peek, all, from, limit } = options;
  await withCalls(options, async (caller) => {
    const agent = options.of ?? (await ourAgent(caller));
    if (follow) return await followed(caller, agent, options);
    const query = { peek, counterpart: from, limit, state: all ? EVERY_STATE : undefined };
    const { messages } = await caller.call<Box>(routes.inbox, { path: [agent], query });
    tell(messages, options, (page) => showMessages(page, messages, 'from', 'No messages.'));
  });
}

async function followed(caller: Calls, agent: string, options: InboxOptions): Promise<void> {
  const { from, peek } = options;
  for await (const news of followInbox(caller, { agent, from, peek, signal: untilInterrupted() })) {
    tell(news, options, (page) => showMessages(page, news, 'from', ''));
  }
  process.exitCode = EXIT.interrupted;
}

export async function sent(options: ServerOptions & { to?: string; limit?: number }): Promise<void> {
  await withCalls(options, async (caller) => {
    const query = { counterpart: options.to, limit: options.limit };
    const { messages } = await caller.call<Box>(routes.sent, { path: [await ourAgent(caller)], query });
    tell(messages, options, (page) => showMessages(page, messages, 'to', 'Nothing was sent.'));
  });
}
