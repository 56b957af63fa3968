import { existsSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import { KEY_FILE, openDataDirectory } from '../database/data-directory.ts';
import { SQLITE_FILE } from '../database/open-database.ts';
import { keyBeside } from './backup-store.ts';
import { checkStore } from './check-store.ts';
import { damaged, type Draft, draftFile, draftStore, requireStore, StoreCopyRefused } from './copy-store.ts';
import { syncFolder } from '../sync-path.ts';

export interface RestoreOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Puts the key beside the backup in place as well. */
  readonly withKey: boolean;
  readonly clock: Clock;
}

export interface Restored {
  readonly store: string;
  /** What the store that was there is called now. */
  readonly kept: string | undefined;
  readonly keyFile: string;
  readonly hasKey: boolean;
}

/** The store first: without it a server refuses to start, while without its log it would start on older data. */
const PARTS = ['', '-wal', '-shm', '-journal'];

/** Puts a backup in place of the store of a data folder that no server uses, and keeps what was there. */
export async function restoreStore({
  dataDir,
  file: name,
  withKey,
  clock,
}: RestoreOptions): Promise<Restored> {
  const file = resolve(name);
  requireStore(file);
  const problems = await checkStore(file, 'full');
  if (problems.length > 0) throw damaged(file, problems[0]);
  if (withKey) requireKeyBeside(file);
  const folder = openDataDirectory(dataDir);
  const store = join(folder.path, SQLITE_FILE);
  const keyFile = join(folder.path, KEY_FILE);
  const drafts: Draft[] = [];
  try {
    const suffix = suffixOfKept(clock);
    // A key is there at every moment: a folder with neither key nor store would be taken for a new one.
    if (withKey && existsSync(keyFile)) drafts.push(draftFile(keyFile, keyFile + suffix));
    if (withKey) drafts.push(draftFile(keyBeside(file), keyFile));
    drafts.push(await draftStore(file, store));
    const kept = existsSync(store) ? store + suffix : undefined;
    // A log that stayed would be read as one of the restored file.
    for (const part of PARTS) moveAside(store + part, store + suffix + part);
    syncFolder(folder.path);
    for (const draft of drafts) draft.place();
    return { store, kept, keyFile, hasKey: existsSync(keyFile) };
  } finally {
    for (const draft of drafts) draft.discard();
    folder.release();
  }
}

export function requireKeyBeside(file: string): void {
  const key = keyBeside(file);
  if (!existsSync(key)) throw new StoreCopyRefused('no_key', `there is no key file ${key}`);
}

/** What was there before a restore is called so from then on. */
export const suffixOfKept = (clock: Pick<Clock, 'now'>): string =>
  `.before-restore-${new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '')}`;

function moveAside(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}
