import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { writePrivateText } from '../../bridge/kept/private-json.ts';
import type { Adapter } from '../daemon-config.ts';
import { payloadOf, variablesOf } from '../payload.ts';
import { noteOf, RUN_ID_VARIABLE } from '../process-note.ts';
import { promptOf } from '../prompt.ts';
import type { Outcome, Run } from './run.ts';

export type CommandAdapter = Extract<Adapter, { type: 'command' }>;

/** The exit code by which a program says that it could not just now. */
const TRY_AGAIN = 75;
const KILL_AFTER_MS = 5_000;

/**
 * A fresh process, never a shell. What others wrote is in the file that it reads as its standard input, so it has all of it
 * even when the daemon ends in the same moment; the file and its log are named after the id, which is checked.
 */
export async function runCommand(adapter: CommandAdapter, run: Run): Promise<Outcome> {
  const { agent, clock, signal, invoked, resumed } = run;
  return await new Promise((resolve, reject) => {
    const child = start(adapter, run);
    const limit = clock.after(agent.timeoutSeconds * 1000, () => {
      endGroup(child.pid, 'SIGTERM');
      clock.after(KILL_AFTER_MS, () => endGroup(child.pid, 'SIGKILL'));
    });
    // It goes on without us: whoever stops the bridge stops starts, not an agent in the middle of its work.
    const leave = (): void => {
      limit.cancel();
      child.unref();
      resolve('left');
    };
    signal.addEventListener('abort', leave, { once: true });
    const over = (): void => {
      limit.cancel();
      signal.removeEventListener('abort', leave);
    };
    child.once('spawn', () => invoked(child.pid === undefined ? undefined : noteOf(child.pid)));
    child.once('error', (error) => {
      over();
      reject(error);
    });
    child.once('exit', (code) => {
      over();
      if (code === 0) resumed();
      resolve(code === 0 ? 'done' : code === TRY_AGAIN ? 'again' : 'failed');
    });
  });
}

function start({ argv, cwd, input }: CommandAdapter, { files, wake, runId }: Run): ChildProcess {
  const [program = '', ...words] = argv;
  const { id } = wake.item;
  const text = input === 'prompt' ? promptOf(wake) : `${JSON.stringify(payloadOf(wake))}\n`;
  writePrivateText(files.input(id), text);
  const stdin = openSync(files.input(id), 'r');
  const log = openSync(files.output(id), 'a', 0o600);
  const { PARLEY_HOOK_TOKEN: _secret, ...environment } = process.env;
  try {
    return spawn(program, words, {
      shell: false,
      // A group of its own: a signal to the daemon is not one to the agent, and its helpers end with it.
      detached: true,
      stdio: [stdin, log, log],
      ...(cwd !== undefined && { cwd }),
      env: { ...environment, ...variablesOf(wake), [RUN_ID_VARIABLE]: runId },
    });
  } finally {
    closeSync(stdin);
    closeSync(log);
  }
}

export function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {}
}
