import * as routes from '@parley/protocol/delivery/message-routes';
import { type Calls, ourAgent, tell, withCalls } from '../calling.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Page } from '../memory/page.ts';
import { moment } from '../memory/words.ts';
import { printJson, printTold } from '../output.ts';
import type { ServerOptions } from '../with-server.ts';
import { EVERY_STATE, findMessage, type Message } from './messages.ts';
import { type SendingOptions, spokenText, watched } from './send.ts';
import { showMessage } from './views.ts';

export async function read(said: string, options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    let message = await findMessage(caller, said);
    // Only the recipient reads it; a sender just looks.
    if (message.to_agent_id === (await ourAgent(caller))) {
      const path = [message.id];
      await caller.call(routes.messageMarkRead, { path, body: {} });
      message = await caller.call<Message>(routes.messageReadOne, { path });
    }
    tell([message], options, (page) => showMessage(page, message));
  });
}

export async function ack(said: readonly string[], options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    for (const word of said) {
      const { id } = await findMessage(caller, word);
      const acked = await caller.call<object>(routes.messageAck, { path: [id], body: {} });
      if (options.json) printJson({ id, ...acked });
      else printTold(`acknowledged ${id}`);
    }
  });
}

export async function reply(
  said: string,
  argument: string | undefined,
  options: SendingOptions,
): Promise<void> {
  const body = await spokenText(argument, options);
  await withCalls(options, async (caller) => {
    const { id, from_agent_id: to, subject } = await findMessage(caller, said);
    const answer = await caller.call<Message>(routes.messageSend, {
      body: {
        to,
        body,
        reply_to: id,
        subject: options.subject ?? subject,
        priority: options.priority,
        expects_reply: options.expectsReply,
      },
    });
    await caller.call(routes.messageAck, { path: [id], body: {} });
    await watched(caller, answer, options);
  });
}

export async function thread(said: string, options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    const { thread_id: id } = await findMessage(caller, said);
    const messages = await messagesOf(caller, id);
    if (messages.length === 0) {
      throw new CliError('not_found', `parley: there is no message of ${said}`, { exitCode: EXIT.gone });
    }
    tell(messages, options, (page) => {
      for (const message of messages) showInThread(page, message);
    });
  });
}

function showInThread(page: Page, { from, created_at: at, body, proven_stage: stage }: Message): void {
  const { text, raw = '' } = moment(at);
  page.gap();
  page.line([
    { text: from.slug, style: 'bold' },
    { text: `  ${page.terminal.piped ? raw : text}  ${stage}`, style: 'dim' },
  ]);
  page.text({ text: body }, 2);
}

async function messagesOf(caller: Calls, threadId: string): Promise<Message[]> {
  const path = [await ourAgent(caller)];
  const found = new Map<string, Message>();
  for (const [route, more] of [
    [routes.inbox, { peek: true }],
    [routes.sent, {}],
  ] as const) {
    const query = { thread_id: threadId, limit: 100, state: EVERY_STATE, ...more };
    const { messages } = await caller.call<{ messages: Message[] }>(route, { path, query });
    for (const message of messages) found.set(message.id, message);
  }
  return [...found.values()].toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1));
}
