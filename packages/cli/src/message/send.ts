import { setTimeout as sleep } from 'node:timers/promises';
import * as routes from '@parley/protocol/delivery/message-routes';
import type { Attachment } from '@parley/protocol/delivery/vocabulary';
import { agentMeant } from '../agent/find-agent.ts';
import { type Calls, tell, withCalls } from '../calling.ts';
import { textInput } from '../channel/text-input.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { printNote } from '../output.ts';
import { Patience } from '../patience.ts';
import { instantFrom } from '../when.ts';
import type { ServerOptions } from '../with-server.ts';
import { findMessage, type Message } from './messages.ts';
import { showProof } from './views.ts';

export interface SendingOptions extends ServerOptions {
  subject?: string | undefined;
  priority?: number | undefined;
  expectsReply?: boolean | undefined;
  wait?: number | undefined;
}

export interface SendOptions extends SendingOptions {
  replyTo?: string | undefined;
  at?: string | undefined;
  liveOnly?: boolean | undefined;
  attach?: Attachment | undefined;
  key?: string | undefined;
}

/** Standard input can hold one thing. */
export async function spokenText(argument: string | undefined, { stdin }: ServerOptions): Promise<string> {
  if (stdin && (argument === undefined || argument === '-')) {
    throw new CliError('usage', 'parley: standard input holds the key, so the text must be an argument');
  }
  return await textInput(argument, 'text');
}

export async function send(to: string, argument: string | undefined, options: SendOptions): Promise<void> {
  const body = await spokenText(argument, options);
  const at = options.at === undefined ? undefined : instantFrom(options.at);
  await withCalls(options, async (caller) => {
    const replyTo =
      options.replyTo === undefined ? undefined : (await findMessage(caller, options.replyTo)).id;
    const message = await caller.call<Message>(routes.messageSend, {
      headers: options.key === undefined ? {} : { 'idempotency-key': options.key },
      body: {
        to: await agentMeant(caller, to),
        body,
        subject: options.subject,
        priority: options.priority,
        expects_reply: options.expectsReply,
        reply_to: replyTo,
        send_at: at,
        attach: options.attach,
        ...(options.liveOnly && { delivery_mode: 'live', live_fallback_mode: 'live_only' }),
      },
    });
    await watched(caller, message, options);
  });
}

/** Tells how far it came; with `--wait` once it was acknowledged, or when the time is over. */
export async function watched(caller: Calls, message: Message, options: SendingOptions): Promise<Message> {
  const last =
    options.wait === undefined ? message : await watchedUntil(caller, message, options.wait, hasEnded);
  tell([last], options, (page) => showProof(page, last));
  if (options.wait === undefined || last.acked_at !== null) return last;
  if (hasEnded(last)) process.exitCode = EXIT.failed;
  else {
    printNote(`not acknowledged within ${options.wait} s; "parley sent" shows how it goes on`);
    process.exitCode = EXIT.waited;
  }
  return last;
}

const LOOK_MS = 500;

/** As it is when that is so, or when the time is over. */
export async function watchedUntil(
  caller: Calls,
  message: Message,
  seconds: number,
  isSo: (message: Message) => boolean,
): Promise<Message> {
  const end = Date.now() + seconds * 1000;
  const patience = new Patience();
  patience.answered();
  for (let last = message; ; ) {
    const left = end - Date.now();
    if (isSo(last) || left <= 0) return last;
    await sleep(Math.min(LOOK_MS, left));
    try {
      last = await caller.call<Message>(routes.messageReadOne, { path: [message.id] });
      patience.answered();
    } catch (error) {
      await patience.after(error);
    }
  }
}

const hasEnded = ({ delivery_state: state }: Message): boolean =>
  state === 'acked' || state === 'failed' || state === 'expired';
