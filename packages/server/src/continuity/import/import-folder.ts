import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../platform/error-words.ts';
import { FOLDER } from '../artifacts/paths.ts';
import type { ForeignFolder } from './foreign-folder.ts';
import { placeOf } from './plant.ts';

/** A document in a folder, by its path in the store. */
export interface FolderDocument {
  readonly path: string;
  readonly file: string;
  /** Whose it is, where it is no continuity document. */
  readonly foreign?: ForeignFolder;
}

export interface FolderContent {
  readonly documents: readonly FolderDocument[];
  /** Below the folders of memory, and none of ours. Links are among them: what they lead to is never read. */
  readonly unknown: readonly string[];
}

/** No document comes near this; what is larger is something else. */
export const LARGEST_DOCUMENT = 16 * 1024 * 1024;

/** What a folder holds of memory; undefined when it holds none. */
export async function lookInto(
  directory: string,
  others: readonly ForeignFolder[],
): Promise<FolderContent | undefined> {
  const root = await realpath(directory);
  const documents: FolderDocument[] = [];
  const unknown: string[] = [];
  const ours = await holdsFolder(root, FOLDER);
  if (ours) await walk(root, FOLDER, { documents, unknown });
  const found = [ours];
  for (const foreign of others) {
    const present = await holdsFolder(root, foreign.folder);
    if (present) await walk(root, foreign.folder, { documents, unknown, foreign });
    found.push(present);
  }
  if (!found.includes(true)) return undefined;
  // A snapshot after its capsule: planted the other way round, the capsule would take its place.
  documents.sort((a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1));
  return { documents, unknown: unknown.toSorted() };
}

const rankOf = ({ path }: FolderDocument): number => (placeOf(path)?.state === 'fallback' ? 1 : 0);

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** Every step of the way is a folder and no link. */
async function holdsFolder(root: string, folder: string): Promise<boolean> {
  const steps = folder.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'));
  for (const step of steps) if (!(await isFolder(join(root, step)))) return false;
  return true;
}

interface Found {
  readonly documents: FolderDocument[];
  readonly unknown: string[];
  readonly foreign?: ForeignFolder;
}

async function walk(root: string, folder: string, found: Found): Promise<void> {
  const { documents, unknown, foreign } = found;
  const skips = (path: string): boolean => foreign?.skips?.(path) ?? false;
  const holds = (path: string): boolean => (foreign ? foreign.holds(path) : placeOf(path) !== undefined);
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (skips(path)) continue;
    if (entry.isDirectory()) await walk(root, path, found);
    else if (entry.isFile() && holds(path))
      documents.push({ path, file: join(root, path), ...(foreign && { foreign }) });
    else unknown.push(path);
  }
}

export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}

/** Its bytes. What was put in its place meanwhile is neither followed, nor waited for, nor read without end. */
export async function readDocument({ file }: FolderDocument): Promise<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw new Error('not a file');
      const room = Buffer.allocUnsafe(Math.min(found.size, LARGEST_DOCUMENT) + 1);
      const length = await filled(handle, room);
      if (length > LARGEST_DOCUMENT) throw new Error(`larger than ${LARGEST_DOCUMENT} bytes`);
      if (length === room.length) throw new Error('it grows while it is read');
      return room.subarray(0, length);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new UnreadableDocument(messageOf(error));
  }
}

/** How much of `room` there is in the file. */
async function filled(handle: FileHandle, room: Buffer): Promise<number> {
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(room, at, room.length - at);
    at += bytesRead;
    if (bytesRead === 0 || at === room.length) return at;
  }
}
