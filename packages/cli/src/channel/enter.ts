import { channels } from '@parley/sdk/channels';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { cleanName } from '@parley/protocol/channels/event-lines';
import { parseJoinUrl } from '@parley/protocol/channels/join-url';
import { printJson, printTold } from '../output.ts';
import { failure } from './failures.ts';
import { ownName } from './own-name.ts';
import { SessionStore, sessionFolder } from './session-store.ts';
import { textInput } from './text-input.ts';

export interface CreateOptions {
  server: string;
  name?: string | undefined;
  json?: boolean | undefined;
}

export async function createChannel({ server, name, json }: CreateOptions): Promise<void> {
  const transport = new NodeTransport(server);
  const store = new SessionStore(sessionFolder(process.env));
  store.prepare();
  try {
    const created = await channels.create({ server, name: ownName(name, process.cwd()), transport });
    const { session, shareMessage, shareMessageHuman } = created;
    const saved = store.add(session.state());
    if (json) {
      printJson({
        channel_id: session.channelId,
        name: session.name,
        server: session.state().server,
        join_url: session.joinUrl,
        share_message: shareMessage,
        share_message_human: shareMessageHuman,
        session_file: saved.path,
      });
      return;
    }
    printTold(`READY initiator: channel=${session.channelId} name=${session.name}`);
    printTold(`\n${shareMessage}`);
  } catch (error) {
    throw failure('CREATE', error);
  } finally {
    transport.close();
  }
}

export interface JoinOptions {
  name?: string | undefined;
  history?: boolean | undefined;
  json?: boolean | undefined;
}

export async function joinChannel(argument: string | undefined, options: JoinOptions): Promise<void> {
  const url = (await textInput(argument, 'join URL')).trim();
  const store = new SessionStore(sessionFolder(process.env));
  store.prepare();
  let transport: NodeTransport | undefined;
  try {
    transport = new NodeTransport(parseJoinUrl(url).base);
    const name = ownName(options.name, process.cwd());
    const session = await channels.join(url, { name, history: options.history ?? false, transport });
    const saved = store.add(session.state());
    const others = session.state().knownNames ?? [];
    const key = session.keyCheck?.verdict ?? 'unverified';
    if (options.json) {
      const { channelId, server } = session.state();
      printJson({ channel_id: channelId, name: session.name, server, others, key, session_file: saved.path });
      return;
    }
    printTold(
      `READY joiner: channel=${session.channelId} name=${session.name} others=${names(others)} key=${key}`,
    );
    if (key !== 'verified') printTold(keyNote(key, session.keyCheck));
  } catch (error) {
    throw failure('JOIN', error);
  } finally {
    transport?.close();
  }
}

function keyNote(
  key: string,
  check: { equal: string[]; different: string[]; silent: string[] } | undefined,
): string {
  if (key === 'partial') {
    return `NOTE: key=partial — same key: ${names(check?.equal)}; another key: ${names(check?.different)}`;
  }
  const silent = names(check?.silent) || 'nobody else is here';
  return `NOTE: key=unverified — no fingerprint to compare (${silent}); PAIRED lines are the proof`;
}

/** As in event lines: a name with a space in it must not pass for a field of its own. */
function names(list: readonly string[] = []): string {
  return list.map(cleanName).join(' ');
}
