import { type ChannelEvent, eventLine } from '@parley/protocol/channels/event-lines';
import { openLink } from '../link.ts';
import { Listener, type ListenerEnd } from '../listening/listener.ts';
import { crypto, needed, openTransport, ownIdentity, seconds, ShellError, variable } from './environment.ts';
import { isRunningLoop, loopProcesses, rememberLoop } from './loop-process.ts';
import type { Outcome } from './outcome.ts';
import {
  createNewPrivateFile,
  createPrivateFile,
  openPrivateLog,
  replacePrivateFile,
} from './private-files.ts';
import { seatStorage } from './rejoin.ts';
import { sendFailedLine } from './sending.ts';
import { filePlaces, receivedPath } from './session.ts';

const EXIT_CODES: Record<ListenerEnd['kind'], number> = {
  gone: 0,
  stopped: 0,
  bad_request: 1,
  rejoin_failed: 1,
  hello_failed: 1,
};

/** `/loop.sh`: one process that polls, opens and prints until the channel ends. */
export async function loop(): Promise<Outcome> {
  const identity = ownIdentity();
  const paths = filePlaces();
  const running = loopProcesses(paths.header).find(isRunningLoop);
  // Two loops would print everything twice. Told on stdout only: the events file belongs to the loop that runs.
  if (running !== undefined)
    return { code: 1, text: `agentalk: FATAL loop_already_running pid=${running}\n` };
  rememberLoop(paths.header, process.pid);
  createPrivateFile(paths.cursor, '0\n');
  const events = openEvents(needed('EVENTS_FILE'));
  const print = (line: string): void => {
    events.write(line);
    process.stdout.write(line);
  };
  const debugLog = openPrivateLog(paths.debug);
  const debug = (text: string): void => debugLog.write(`${new Date().toISOString()} ${text}\n`);

  const listener = new Listener({
    link: await openLink({ transport: openTransport(), identity, storage: seatStorage(), crypto }),
    challenge: variable('MY_CHALL') || undefined,
    coalesceSeconds: seconds('AGENTALK_COALESCE_S'),
    coalesceMaxSeconds: seconds('AGENTALK_COALESCE_MAX_S'),
    staleSeconds: seconds('AGENTALK_STALE_S'),
    host: {
      emit: (event: ChannelEvent) => print(`${eventLine(event)}\n`),
      helloFailed: (error) => print(sendFailedLine(error)),
      writeMessageFile: receivedFiles(identity.channelId),
      saveCursor: (cursor) => replacePrivateFile(paths.cursor, `${cursor}\n`),
      debug,
    },
  });
  stopOnSignals(listener);
  debug(`loop started, pid ${process.pid}`);
  const end = await listener.run();
  debug(`loop ended: ${end.kind} ${end.reason}`);
  return { code: EXIT_CODES[end.kind], text: '' };
}

/** Who reads the output of the loop itself may want no file of it. */
function openEvents(path: string): { write: (text: string) => void } {
  return path === '/dev/null' ? { write: () => undefined } : openPrivateLog(path);
}

function receivedFiles(channelId: string): (text: string) => string {
  let count = 0;
  return (text) => {
    for (let attempt = 0; attempt < 1000; attempt++) {
      const path = receivedPath(channelId, process.pid, ++count);
      try {
        createNewPrivateFile(path, text);
        return path;
      } catch (error) {
        // An earlier process with our id, or somebody else, was there first: take the next number.
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
    }
    throw new ShellError('no free file name for a received message in /tmp');
  };
}

function stopOnSignals(listener: Listener): void {
  const stop = (): void => listener.stop();
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A background job outlives the terminal it was started from; a foreground loop does not.
  process.on('SIGHUP', () => {
    if (variable('AGENTALK_LOOP_BG') === '') stop();
  });
  // Whoever read our output is gone, and with it the agent this loop listens for.
  process.stdout.on('error', stop);
}
