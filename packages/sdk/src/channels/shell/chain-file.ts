import { renameSync, rmSync } from 'node:fs';
import { isObject } from '@parley/protocol/json';
import type { ChainState } from '../send-chain.ts';
import { readPrivateFile, replacePrivateFile } from './private-files.ts';

/**
 * Carries the numbering of sent messages from one short-lived process to the next. Taking it is a rename, so two that
 * send at once cannot continue the same run: the second finds nothing and starts a run of its own, and so does whoever
 * comes after a process that died while it sent.
 */
export function takeChain(path: string): ChainState | undefined {
  const taken = `${path}.${process.pid}.taken`;
  try {
    renameSync(path, taken);
    return chainState(readPrivateFile(taken));
  } catch {
    // No file, or not one of ours: numbering starts anew, which receivers accept.
    return undefined;
  } finally {
    rmSync(taken, { force: true });
  }
}

export function putChain(path: string, state: ChainState): void {
  try {
    replacePrivateFile(path, JSON.stringify(state));
  } catch {
    // The message is sent; only its successor starts a new run.
  }
}

function chainState(text: string): ChainState | undefined {
  const state: unknown = JSON.parse(text);
  if (!isObject(state)) return undefined;
  const { sid, seq, prev } = state;
  if (typeof sid !== 'string' || typeof seq !== 'number' || !Number.isSafeInteger(seq)) return undefined;
  return { sid, seq, ...(typeof prev === 'string' ? { prev } : {}) };
}
