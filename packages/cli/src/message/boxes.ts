import { setTimeout as sleep } from 'node:timers/promises';
import * as routes from '@parley/protocol/delivery/message-routes';
import { TransportError } from '@parley/sdk/channels/transport';
import { type Calls, Refused, tell, withCalls } from '../calling.ts';
import { EXIT } from '../cli-error.ts';
import { untilInterrupted } from '../interrupt.ts';
import { printNote } from '../output.ts';
import type { ServerOptions } from '../with-server.ts';
import { EVERY_STATE, type Message, ourAgent } from './messages.ts';
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
    const path = [options.of ?? (await ourAgent(caller))];
    const query = { peek, counterpart: from, limit, state: all ? EVERY_STATE : undefined };
    if (follow) return await followed(caller, path, options);
    const { messages } = await caller.call<Box>(routes.inbox, { path, query });
    tell(messages, options, (page) => showMessages(page, messages, 'from', 'No messages.'));
  });
}

export async function sent(options: ServerOptions & { to?: string; limit?: number }): Promise<void> {
  await withCalls(options, async (caller) => {
    const query = { counterpart: options.to, limit: options.limit };
    const { messages } = await caller.call<Box>(routes.sent, { path: [await ourAgent(caller)], query });
    tell(messages, options, (page) => showMessages(page, messages, 'to', 'Nothing was sent.'));
  });
}

const WAIT_SECONDS = 25;
const PATIENCE_MS = 1_000;
/** Two of one moment may become visible one after the other: so far back is looked again. */
const OVERLAP_MS = 10_000;

/**
 * What is open now, oldest first, then what comes. The server holds a call until there is something newer; each message is told once,
 * by its id, however often the connection is lost in between.
 */
async function followed(caller: Calls, path: readonly string[], options: InboxOptions): Promise<void> {
  const signal = untilInterrupted();
  const told = new Set<string>();
  let newest: string | undefined;
  let silent = false;
  const ask = async (query: object): Promise<Message[]> => {
    const all = { peek: options.peek, counterpart: options.from, limit: 100, ...query };
    return (await caller.call<Box>(routes.inbox, { path, query: all, signal })).messages;
  };
  while (!signal.aborted) {
    try {
      if (newest !== undefined) await ask({ since: newest, wait: WAIT_SECONDS, peek: true });
      const since =
        newest === undefined ? undefined : new Date(Date.parse(newest) - OVERLAP_MS).toISOString();
      const messages = await ask({ since });
      const news = messages.filter(({ id }) => !told.has(id)).toReversed();
      for (const { id } of news) told.add(id);
      if (news.length > 0) tell(news, options, (page) => showMessages(page, news, 'from', ''));
      newest = messages[0]?.created_at ?? newest ?? new Date(0).toISOString();
      silent = false;
    } catch (error) {
      if (signal.aborted) break;
      const passes = error instanceof TransportError || (error instanceof Refused && error.status >= 429);
      if (!passes || newest === undefined) throw error;
      if (!silent) printNote('the server does not answer; going on when it does');
      silent = true;
      await sleep(PATIENCE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  process.exitCode = EXIT.interrupted;
}
