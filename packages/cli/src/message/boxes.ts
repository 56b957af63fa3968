import { agentRead } from '@parley/protocol/delivery/agent-routes';
import * as routes from '@parley/protocol/delivery/message-routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import { type Calls, orNothing, ourAgent, tell, withCalls } from '../calling.ts';
import { CliError, EXIT } from '../cli-error.ts';
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

async function messagesIn(
  caller: Calls,
  box: RouteDeclaration,
  agent: string,
  query: object,
): Promise<readonly Message[]> {
  const asked = caller.call<{ messages: Message[] }>(box, { path: [agent], query });
  return (await orNothing(agent, asked, { messages: [] })).messages;
}

export async function inbox(options: InboxOptions): Promise<void> {
  const { follow, peek, all, from, limit } = options;
  await withCalls(options, async (caller) => {
    const agent = options.of ?? (await ourAgent(caller));
    if (follow) return await followed(caller, agent, options);
    const query = { peek, counterpart: from, limit, state: all ? EVERY_STATE : undefined };
    const messages = await messagesIn(caller, routes.inbox, agent, query);
    tell(messages, options, (page) => showMessages(page, messages, 'from', 'No messages.'));
  });
}

async function followed(caller: Calls, agent: string, options: InboxOptions): Promise<void> {
  const { from, peek } = options;
  const known = await orNothing(agent, caller.call<object>(agentRead, { path: [agent] }), undefined);
  if (!known) {
    throw new CliError('no_agent', 'parley: the owner has no agent yet that messages could come to', {
      exitCode: EXIT.gone,
      hint: '"parley agent create" makes one; what the owner sends first makes one, too',
    });
  }
  for await (const news of followInbox(caller, { agent, from, peek, signal: untilInterrupted() })) {
    tell(news, options, (page) => showMessages(page, news, 'from', ''));
  }
  process.exitCode = EXIT.interrupted;
}

export async function sent(options: ServerOptions & { to?: string; limit?: number }): Promise<void> {
  await withCalls(options, async (caller) => {
    const query = { counterpart: options.to, limit: options.limit };
    const messages = await messagesIn(caller, routes.sent, await ourAgent(caller), query);
    tell(messages, options, (page) => showMessages(page, messages, 'to', 'Nothing was sent.'));
  });
}
