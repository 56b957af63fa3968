import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { callHook } from '../../bridge/hook-call.ts';
import { writePrivateJson } from '../../bridge/kept/private-json.ts';
import { harmlessJson } from '../../harmless.ts';
import { makeFolder } from '../../private-folder.ts';
import type { Adapter } from '../daemon-config.ts';
import { payloadOf } from '../payload.ts';
import type { Outcome, Run } from './run.ts';

/** Agents that run already and are told of a wake: by their runtime's hook, a file, a line of output, or a pane of tmux. */
export async function callRuntime(
  { url, token, agent_id: agentId }: Extract<Adapter, { type: 'http-hook' }>,
  { agent, wake, clock, signal, invoked, resumed }: Run,
): Promise<Outcome> {
  const hook = { url: new URL(url), token, agentId, timeoutSeconds: agent.timeoutSeconds };
  try {
    await callHook(hook, `[PARLEY_WAKE_V1]\n${JSON.stringify(payloadOf(wake))}`, { clock, signal });
  } catch (error) {
    // The runtime may be at it: that is for the next daemon to wait for.
    if (signal.aborted) return 'left';
    throw error;
  }
  invoked();
  resumed();
  return 'done';
}

export function dropFile(
  { folder: given }: Extract<Adapter, { type: 'file' }>,
  { wake, invoked }: Run,
): Outcome {
  const folder = resolve(given);
  makeFolder(folder);
  writePrivateJson(join(folder, `${wake.item.id}.json`), payloadOf(wake));
  invoked();
  return 'done';
}

export function printWake({ wake, invoked }: Run): Outcome {
  process.stdout.write(`${harmlessJson(JSON.stringify(payloadOf(wake)))}\n`);
  invoked();
  return 'done';
}

/** One fixed line with the id alone: what others wrote must never be typed into a terminal. */
export async function typeLine(
  { pane }: Extract<Adapter, { type: 'tmux' }>,
  { wake: { item }, invoked }: Run,
): Promise<Outcome> {
  await tmux(pane, ['-l', '--', `Parley: ${item.type} ${item.id} waits for you`]);
  await tmux(pane, ['Enter']);
  invoked();
  return 'done';
}

function tmux(pane: string, keys: readonly string[]): Promise<void> {
  return new Promise((done, reject) => {
    const child = spawn('tmux', ['send-keys', '-t', pane, ...keys], { shell: false, stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? done() : reject(new Error(`tmux ended with ${code}: is there a pane ${pane}?`)),
    );
  });
}
