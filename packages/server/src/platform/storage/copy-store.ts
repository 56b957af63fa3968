import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { openSqliteHandle } from '../database/sqlite/binding.ts';
import { messageOf } from '../error-words.ts';
import { syncFile, syncFolder } from '../sync-path.ts';
import { checkStore } from './check-store.ts';

type Reason =
  | 'no_store'
  | 'not_a_store'
  | 'store_damaged'
  | 'file_exists'
  | 'wrong_place'
  | 'not_empty'
  | 'copy_differs'
  | 'wrong_version'
  | 'no_program'
  | 'program_failed'
  | 'no_key';

/** Nothing was changed, and why. */
export class StoreCopyRefused extends Error {
  override readonly name = 'StoreCopyRefused';
  readonly reason: Reason;

  constructor(reason: Reason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** A file that is whole, on disk and for its owner only, yet not under its name. */
export interface Draft {
  readonly bytes: number;
  /** Takes the name in one step; what had it is replaced. */
  place(): void;
  /** Leaves nothing behind; after `place`, changes nothing. */
  discard(): void;
}

/**
 * Copies what is committed in the SQLite file `from` to a draft beside `to`, and proves that the copy is a sound store. A
 * server may be writing to `from`: the copy is made through a reader, for which no writer waits.
 */
export async function draftStore(from: string, to: string): Promise<Draft> {
  return await draftOf(to, async (path) => {
    vacuumInto(from, path);
    const problems = await checkStore(path, 'full');
    if (problems.length > 0) throw new Error(`the copy of ${from} is not sound: ${problems.join('; ')}`);
    requireStore(path);
  });
}

/** A draft of whatever `fill` writes to the path it is given, which is there and empty. */
export async function draftOf(to: string, fill: (path: string) => Promise<void>): Promise<Draft> {
  const draft = newDraft(to, '');
  try {
    await fill(draft.path);
    syncFile(draft.path);
    return { ...draft, bytes: statSync(draft.path).size };
  } catch (error) {
    draft.discard();
    throw error;
  }
}

/** The same for a small file that nobody writes to. */
export function draftFile(from: string, to: string): Draft {
  const content = readFileSync(from);
  const draft = newDraft(to, content);
  syncFile(draft.path);
  return { ...draft, bytes: content.length };
}

/** Refuses what no server has ever made tables in. */
export function requireStore(file: string): void {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new StoreCopyRefused('no_store', `there is no file ${file}`);
  }
  try {
    const handle = openSqliteHandle(file, { readOnly: true });
    try {
      if (handle.prepare('SELECT module FROM parley_migrations LIMIT 1').get() !== undefined) return;
    } finally {
      handle.close();
    }
  } catch (error) {
    if (isDamage(error)) throw damaged(file, error);
    if (!/not a database|no such (?:table|column)/i.test(messageOf(error))) throw error;
  }
  throw new StoreCopyRefused('not_a_store', `${file} is no store of Parley`);
}

export function damaged(file: string, cause: unknown): StoreCopyRefused {
  return new StoreCopyRefused('store_damaged', `${file} is damaged: ${messageOf(cause)}`, cause);
}

function vacuumInto(from: string, to: string): void {
  const handle = openSqliteHandle(from, { readOnly: true });
  try {
    handle.prepare('VACUUM INTO ?').run(to);
  } catch (error) {
    throw isDamage(error) ? damaged(from, error) : error;
  } finally {
    handle.close();
  }
}

function newDraft(
  to: string,
  content: string | Uint8Array,
): Omit<Draft, 'bytes'> & { readonly path: string } {
  const path = `${to}.unfinished-${randomUUID()}`;
  writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
  return {
    path,
    place() {
      renameSync(path, to);
      syncFolder(dirname(to));
    },
    discard() {
      for (const file of [path, `${path}-journal`]) rmSync(file, { force: true });
    },
  };
}

const isDamage = (error: unknown): boolean => /malformed|corrupt/i.test(messageOf(error));
