import { closeSync, openSync, rmSync, statSync } from 'node:fs';

/** Nobody needs a file for longer than a moment: what is older was left by a program that was killed. */
const LEFT_BEHIND_MS = 10_000;
const LOOK_AGAIN_MS = 20;

/** Does something while no other program of ours that asks by the same path does. Made for moments: it waits without doing anything else. */
export function whileHeld<T>(path: string, act: () => T): T {
  while (!taken(path)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
  try {
    return act();
  } finally {
    rmSync(path, { force: true });
  }
}

function taken(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) rmSync(path, { force: true });
    return false;
  }
}
