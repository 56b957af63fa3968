import { cleanName } from '@parley/protocol/channels/event-lines';
import type { SendAnswer } from '@parley/protocol/channels/types';
import { addressee } from '@parley/sdk/channels/addressee';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { ChannelSession } from '@parley/sdk/channels/session';
import { CliError, EXIT } from '../cli-error.ts';
import { printJson, printLine } from '../output.ts';
import { chooseSession, type SessionChoice } from './choose.ts';
import { failure, saysGone } from './failures.ts';
import { type SavedSession, SessionStore, sessionFolder } from './session-store.ts';
import { textInput } from './text-input.ts';

export interface TalkOptions extends SessionChoice {
  json?: boolean | undefined;
}

export async function say(argument: string | undefined, options: TalkOptions): Promise<void> {
  await sendText(argument, options, (session, text) => session.send(text));
}

export async function dm(to: string, argument: string | undefined, options: TalkOptions): Promise<void> {
  await sendText(argument, options, async (session, text) => {
    const present = await session.present();
    const name = addressee(to, present ?? []);
    // The server takes it for whoever may come; a sender who is told SENT thinks that somebody got it.
    if (present && !present.includes(name)) throw notHere(name, present, session.state().name);
    return await session.dm(name, text);
  });
}

function notHere(name: string, present: readonly string[], own: string): CliError {
  const others = present.filter((each) => each !== own);
  return new CliError('not_present', `agentalk: SEND_FAILED error=not_present to=${cleanName(name)}`, {
    exitCode: EXIT.gone,
    hint: others.length > 0 ? `here are: ${others.join(', ')}` : 'nobody else is here',
    details: { present: others },
  });
}

async function sendText(
  argument: string | undefined,
  options: TalkOptions,
  send: (session: ChannelSession, text: string) => Promise<SendAnswer>,
): Promise<void> {
  const saved = await chooseSession(new SessionStore(sessionFolder(process.env)), options);
  const text = await textInput(argument, 'text');
  if (text === '')
    throw new CliError('empty_text', 'agentalk: SEND_FAILED error=empty_text', {
      hint: 'give the text as an argument or on standard input',
    });
  const { index } = await withSession(saved, 'SEND', async (session) => {
    try {
      return await send(session, text);
    } finally {
      const { chain } = session.state();
      if (chain) saved.putChain(chain);
    }
  });
  if (options.json) printJson({ ok: true, index });
  else printLine(`agentalk: SENT index=${index}`);
}

export async function leaveChannel(options: TalkOptions): Promise<void> {
  const saved = await chooseSession(new SessionStore(sessionFolder(process.env)), options);
  await withSession(saved, 'LEAVE', (session) => session.leave());
  saved.remove();
  const { channelId, name } = saved.identity;
  if (options.json) printJson({ ok: true, channel_id: channelId, name });
  else printLine(`left channel=${channelId} name=${name}`);
}

async function withSession<T>(
  saved: SavedSession,
  word: 'SEND' | 'LEAVE',
  act: (session: ChannelSession) => Promise<T>,
): Promise<T> {
  const transport = new NodeTransport(saved.identity.server);
  try {
    const session = await ChannelSession.open(
      { ...saved.identity, cursor: 0, chain: saved.takeChain() },
      {
        transport,
        storage: {
          saveIdentity: (membership) => saved.saveMembership(membership),
          loadIdentity: () => saved.loadMembership(),
        },
      },
    );
    return await act(session);
  } catch (error) {
    // Its secrets are of no more use.
    if (saysGone(error)) saved.remove();
    throw failure(word, error);
  } finally {
    transport.close();
  }
}
