import { existsSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { KEY_FILE } from '../database/data-directory.ts';
import { SQLITE_FILE } from '../database/open-database.ts';
import { type Draft, draftFile, draftStore, requireStore, StoreCopyRefused } from './copy-store.ts';

export interface BackupOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Replaces what has the name already. */
  readonly force: boolean;
  readonly withKey: boolean;
  /** When it is made, by the clock of whoever asks; by that of the machine where nobody says. */
  readonly at?: number;
}

export interface Backup {
  readonly store: string;
  readonly file: string;
  readonly bytes: number;
  /** The copy of the key, where it was asked for. */
  readonly keyCopy: string | undefined;
}

/** Where the key of a backup is kept, if beside it. */
export const keyBeside = (file: string): string => `${file}.key`;

/** Copies the store of a data folder, in use or not. The copy has its name only when it is whole and checked. */
export async function backupStore({
  dataDir,
  file: name,
  force,
  withKey,
  at = Date.now(),
}: BackupOptions): Promise<Backup> {
  const folder = resolve(dataDir);
  const store = join(folder, SQLITE_FILE);
  if (!existsSync(store)) {
    throw new StoreCopyRefused('no_store', `there is no store in ${folder}; name its folder with --data-dir`);
  }
  requireStore(store);
  const file = resolve(name);
  requirePlace(file, folder);
  const key = withKey ? requireKey(folder) : undefined;
  const placed = await placeCopies({ file, key, force }, () => draftStore(store, file));
  noteBackup(folder, at);
  return { store, file, ...placed };
}

/** The key of a data folder, for a copy that is to have it beside it. */
export function requireKey(dataDir: string): string {
  const key = join(resolve(dataDir), KEY_FILE);
  if (existsSync(key)) return key;
  throw new StoreCopyRefused('no_key', `there is no key file ${key}; is the key in the setting secret_key?`);
}

/** A copy of a store, and one of the key beside it where there is a key to copy. Both have their names only when both are whole. */
export async function placeCopies(
  { file, key, force }: { readonly file: string; readonly key: string | undefined; readonly force: boolean },
  draftCopy: () => Promise<Draft>,
): Promise<Pick<Backup, 'bytes' | 'keyCopy'>> {
  const keyCopy = key === undefined ? undefined : keyBeside(file);
  const names = [file, ...(keyCopy === undefined ? [] : [keyCopy])];
  if (!force) refuseTaken(names);
  const drafts: Draft[] = [];
  try {
    if (key !== undefined) drafts.push(draftFile(key, keyBeside(file)));
    const copy = await draftCopy();
    drafts.push(copy);
    // Another backup may have taken the name meanwhile.
    if (!force) refuseTaken(names);
    for (const draft of drafts) draft.place();
    return { bytes: copy.bytes, keyCopy };
  } finally {
    for (const draft of drafts) draft.discard();
  }
}

/** Says when the store was copied last, wherever the copy went. */
const MARK = 'last-backup';

function noteBackup(folder: string, at: number): void {
  try {
    writeFileSync(join(folder, MARK), `${new Date(at).toISOString()}\n`);
  } catch {
    // The copy is whole all the same: a folder that can only be read is no reason to refuse it.
  }
}

/** When the store of a data folder was copied last; undefined where nobody has said so. */
export async function lastBackupOf(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(resolve(dataDir), MARK), 'utf8').catch(() => '');
  const at = Date.parse(text.trim());
  return Number.isNaN(at) ? undefined : at;
}

function refuseTaken(files: readonly string[]): void {
  for (const taken of files) {
    if (!existsSync(taken)) continue;
    throw new StoreCopyRefused('file_exists', `${taken} exists already; --force replaces it`);
  }
}

/** A backup named like a file of the running server would replace that one; with the folder it would be lost as well. */
function requirePlace(file: string, dataDir: string): void {
  requireFolder(file);
  if (realpathSync(dirname(file)) === realpathSync(dataDir)) {
    throw new StoreCopyRefused(
      'wrong_place',
      `${basename(file)} would be in the data folder itself; name a file in another folder`,
    );
  }
}

export function requireFolder(file: string): void {
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StoreCopyRefused('wrong_place', `there is no folder ${folder}`);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StoreCopyRefused('wrong_place', `${file} is a folder; name a file`);
  }
}
