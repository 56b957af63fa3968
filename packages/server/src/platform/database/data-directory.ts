import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DataDirectoryLockedError } from './errors.ts';
import { takeLock } from './lock-file.ts';

export const LOCK_FILE = 'parley.lock';

export interface DataDirectory {
  readonly path: string;
  /** Gives the folder free for another server. */
  release(): void;
}

/** Makes the folder when missing, readable by its owner only, and claims it for this process. */
export function openDataDirectory(directory: string): DataDirectory {
  const path = resolve(directory);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const lock = takeLock(join(path, LOCK_FILE));
  if (!lock.taken) throw new DataDirectoryLockedError(path, lock.holder.pid);
  return { path, release: () => lock.release() };
}
