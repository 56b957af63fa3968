import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { DataDirectoryLockedError, DataDirectoryUnusableError } from './errors.ts';
import { type LockResult, noteHolder, readHolder } from './lock-file.ts';
import { openSqliteHandle, type SqliteHandle } from './sqlite/binding.ts';

/** Holds the key that seals secrets and texts, where no setting gives it. */
export const KEY_FILE = 'parley.key';
/** Says who has the folder, for messages. */
export const LOCK_FILE = 'parley.lock';
/** Decides who has it. */
const KERNEL_LOCK_FILE = 'parley.lock-held';

export interface DataDirectory {
  readonly path: string;
  /** This process, as no other calls itself. */
  readonly node: string;
  /** What the last server here called itself, where it was ended before it could close its store. */
  readonly nodeBefore: string | undefined;
  /** Gives the folder free for another server. */
  release(): void;
}

/** Makes the folder when missing, readable by its owner only, and claims it for this process. */
export function openDataDirectory(directory: string): DataDirectory {
  const path = resolve(directory);
  const { before, lock } = usable(path, () => {
    makeWritable(path);
    // Whoever ends in order takes the note away.
    return { before: readHolder(join(path, LOCK_FILE)), lock: takeFolder(path) };
  });
  if (!lock.taken) throw new DataDirectoryLockedError(path, lock.holder.pid);
  return {
    path,
    node: nodeOf(lock.nonce),
    nodeBefore: before && nodeOf(before.nonce),
    release: () => lock.release(),
  };
}

const nodeOf = (nonce: string): string => nonce.replaceAll('-', '').slice(-16);

/** What the system says when a folder is missing, somebody else's, read-only or full, with what to do about it. */
function usable<T>(path: string, claim: () => T): T {
  try {
    return claim();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const bySystem = typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code);
    throw new DataDirectoryUnusableError(path, bySystem ? String(error.code) : error.message, error);
  }
}

function makeWritable(path: string): void {
  makeFolder(path);
  // One that is there already may belong to somebody else or lie on a read-only disk.
  accessSync(path, constants.W_OK | constants.X_OK);
  // And some, as those of the kernel, take no file although they say that they do.
  closeSync(openSync(join(path, KERNEL_LOCK_FILE), 'a', 0o600));
}

/** Claims a folder that is there. The note beside the lock holds the pid, as it is counted where the holder runs. */
export function takeFolder(path: string): LockResult {
  const file = join(path, LOCK_FILE);
  const lock = takeKernelLock(join(path, KERNEL_LOCK_FILE));
  if (!lock) return { taken: false, holder: readHolder(file) ?? { pid: 0, started: null, nonce: '' } };
  const note = noteHolder(file);
  return {
    taken: true,
    nonce: note.nonce,
    release() {
      note.release();
      lock.release();
    },
  };
}

/** A handle that nobody refers to is collected, and its lock with it. */
const held = new Set<SqliteHandle>();

/**
 * A lock that ends with the process however that ends: an exclusive transaction on a file of its own, which the kernel
 * keeps by open file and not by pid. So it holds between containers that share a folder and cannot see each other's
 * processes, and is never left behind by `kill -9`. The file stays: removing it could leave two holders, each on its own.
 *
 * Undefined when somebody else has it.
 */
function takeKernelLock(file: string): { release(): void } | undefined {
  const handle = openSqliteHandle(file, { readOnly: false, timeout: 0 });
  try {
    handle.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    handle.close();
    if (error instanceof Error && /\b(?:locked|busy)\b/i.test(error.message)) return undefined;
    throw error;
  }
  held.add(handle);
  return {
    release() {
      if (held.delete(handle)) handle.close();
    },
  };
}
