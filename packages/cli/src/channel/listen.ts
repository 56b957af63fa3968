import { type ChannelEvent, eventLine } from '@parley/protocol/channels/event-lines';
import type { Listener, ListenerEnd } from '@parley/sdk/channels/listening/listener';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { ChannelSession } from '@parley/sdk/channels/session';
import { EXIT } from '../cli-error.ts';
import { printJson, printLine } from '../output.ts';
import { chooseSession, type SessionChoice } from './choose.ts';
import { saysGone } from './failures.ts';
import { type SavedSession, SessionStore, sessionFolder } from './session-store.ts';

export interface ListenOptions extends SessionChoice {
  timeout?: number | undefined;
  follow?: boolean | undefined;
  json?: boolean | undefined;
}

/** Node fires a longer delay at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Why we stopped by ourselves. */
type Stop = 'message' | 'timeout' | 'interrupted';

/** Prints what happens. Resolves with the exit code: 0 message, 2 timeout, 3 channel gone, 1 anything else. */
export async function listen(options: ListenOptions): Promise<number> {
  const saved = await chooseSession(new SessionStore(sessionFolder(process.env)), options);
  const transport = new NodeTransport(saved.identity.server);
  const before = saved.progress();
  const session = await openSession(saved, transport, before.cursor);
  let stop: Stop | undefined;
  const halt = (why: Stop): void => {
    stop ??= why;
    listener.stop();
  };
  const listener: Listener = session.listener(
    {
      emit(event) {
        print(event, options.json);
        if (event.type !== 'message' || options.follow) return;
        // Whatever stopped us first: a burst that was held back is printed at the end, and is a message too.
        stop = 'message';
        listener.stop();
      },
      writeMessageFile: (text) => (options.json ? '' : saved.writeMessage(text)),
      saveCursor: (cursor) => saved.saveProgress({ cursor, greeted: true, memory: listener.memory() }),
      debug: (text) => void process.stderr.write(`parley: ${text}\n`),
    },
    { memory: before.memory, hello: !before.greeted },
  );
  const end = await untilEnd(listener, halt, options.timeout);
  transport.close();
  if (end.kind === 'stopped') {
    saved.saveProgress({ cursor: listener.cursor, greeted: true, memory: listener.memory() });
    return exitAfter(stop);
  }
  return exitWhenEnded(end, saved);
}

function openSession(saved: SavedSession, transport: NodeTransport, cursor: number): Promise<ChannelSession> {
  const storage = {
    saveIdentity: saved.saveMembership.bind(saved),
    loadIdentity: saved.loadMembership.bind(saved),
  };
  return ChannelSession.open({ ...saved.identity, cursor }, { transport, storage });
}

async function untilEnd(
  listener: Listener,
  halt: (why: Stop) => void,
  timeoutSeconds: number | undefined,
): Promise<ListenerEnd> {
  const interrupt = (): void => halt('interrupted');
  const timer =
    timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => halt('timeout'), Math.min(timeoutSeconds * 1000, LONGEST_DELAY_MS));
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    return await listener.run();
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function print(event: ChannelEvent, json: boolean | undefined): void {
  if (!json) {
    printLine(eventLine(event));
    return;
  }
  if (event.type !== 'message') {
    printJson(event);
    return;
  }
  const { file: _, ...message } = event;
  printJson({ ...message, bytes: Buffer.byteLength(event.text) });
}

function exitAfter(stop: Stop | undefined): number {
  if (stop === 'message') return EXIT.done;
  return stop === 'timeout' ? EXIT.timeout : EXIT.interrupted;
}

function exitWhenEnded(end: ListenerEnd, saved: SavedSession): number {
  const gone = end.kind === 'gone' || saysGone(end.error);
  if (gone) saved.remove();
  return gone ? EXIT.gone : EXIT.failed;
}
