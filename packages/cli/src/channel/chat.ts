import { createInterface, type Interface } from 'node:readline';
import { type ChannelEvent, eventLine } from '@parley/protocol/channels/event-lines';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { ChannelSession } from '@parley/sdk/channels/session';
import { EXIT } from '../cli-error.ts';
import { harmless, harmlessLine } from '../harmless.ts';
import { terminalOf } from '../memory/terminal.ts';
import { printNote } from '../output.ts';
import { chooseSession, type SessionChoice } from './choose.ts';
import { saysGone } from './failures.ts';
import { type SavedSession, SessionStore, sessionFolder } from './session-store.ts';

const HELP = 'What you type is said to all. /dm NAME TEXT to one, /who, /quit. Ctrl+C ends it, too.';

/** A screen of its own while it lasts; a pipe gets and gives plain lines. */
export async function chat(options: SessionChoice): Promise<void> {
  const saved = await chooseSession(new SessionStore(sessionFolder(process.env)), options);
  const transport = new NodeTransport(saved.identity.server);
  const before = saved.progress();
  const session = await open(saved, transport, before.cursor);
  const isScreen = process.stdin.isTTY && process.stdout.isTTY;
  const input = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: isScreen,
    prompt: '> ',
  });
  const show = (line: string): void => shown(input, isScreen, line);
  if (isScreen)
    process.stdout.write(`${ENTER}${harmlessLine(session.name)} in ${session.channelId}. ${HELP}\n`);
  const listener = session.listener(
    {
      emit: (event) => show(spoken(event)),
      writeMessageFile: () => '',
      saveCursor: (cursor) => saved.saveProgress({ cursor, greeted: true, memory: listener.memory() }),
      debug: () => undefined,
    },
    { memory: before.memory, hello: !before.greeted },
  );
  let sending = Promise.resolve();
  input.on('line', (line) => {
    // In the order they were typed.
    sending = sending.then(() => said(session, saved, line.trim(), show, () => listener.stop()));
  });
  input.on('close', () => void sending.then(() => listener.stop()));
  const interrupt = (): void => {
    process.exitCode = EXIT.interrupted;
    input.close();
  };
  input.once('SIGINT', interrupt);
  process.once('SIGINT', interrupt).once('SIGTERM', () => listener.stop());
  if (isScreen) input.prompt();
  const end = await listener.run();
  input.close();
  await sending;
  transport.close();
  if (isScreen) process.stdout.write(LEAVE);
  if (end.kind === 'stopped') {
    saved.saveProgress({ cursor: listener.cursor, greeted: true, memory: listener.memory() });
    return;
  }
  const gone = end.kind === 'gone' || saysGone(end.error);
  if (gone) saved.remove();
  printNote(gone ? 'the channel is over' : 'the connection was lost for good');
  process.exitCode = gone ? EXIT.gone : EXIT.failed;
}

/** The terminal's second screen, and back to the first: what stood there before is there again. */
const ENTER = '\u001b[?1049h\u001b[H';
const LEAVE = '\u001b[?1049l';

function open(saved: SavedSession, transport: NodeTransport, cursor: number): Promise<ChannelSession> {
  const storage = {
    saveIdentity: saved.saveMembership.bind(saved),
    loadIdentity: saved.loadMembership.bind(saved),
  };
  return ChannelSession.open({ ...saved.identity, cursor, chain: saved.takeChain() }, { transport, storage });
}

/** Above the line that is being typed. */
function shown(input: Interface, isScreen: boolean, line: string): void {
  if (isScreen) process.stdout.write('\r\u001b[K');
  process.stdout.write(`${line}\n`);
  if (isScreen) input.prompt(true);
}

function spoken(event: ChannelEvent): string {
  const terminal = terminalOf(process.stdout, process.env);
  if (event.type !== 'message') return terminal.style('dim', eventLine(event));
  const name = terminal.style('bold', harmlessLine(event.from) + (event.kind === 'dm' ? ' (to you)' : ''));
  return `${name}: ${harmless(event.text).replaceAll('\n', '\n  ')}`;
}

async function said(
  session: ChannelSession,
  saved: SavedSession,
  line: string,
  show: (line: string) => void,
  quit: () => void,
): Promise<void> {
  const [, to, text] = /^\/dm (\S+) (.+)$/.exec(line) ?? [];
  try {
    if (line === '/quit') quit();
    else if (line === '/who') show(`here: ${((await session.present()) ?? []).map(harmlessLine).join(', ')}`);
    else if (to !== undefined && text !== undefined) await session.dm(to, text);
    else if (line.startsWith('/')) show(HELP);
    else if (line !== '') await session.send(line);
  } catch (error) {
    show(`not sent: ${harmlessLine(error instanceof Error ? error.message : String(error))}`);
  }
  const { chain } = session.state();
  if (chain) saved.putChain(chain);
}
