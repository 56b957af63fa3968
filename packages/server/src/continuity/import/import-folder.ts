import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER } from '../artifacts/paths.ts';
import { placeOf } from './plant.ts';

/** A document in a folder, by its path in the store. */
export interface FolderDocument {
  readonly path: string;
  readonly file: string;
}

export interface FolderContent {
  readonly documents: readonly FolderDocument[];
  /** Below `memory/continuity`, and none of ours. Links are among them: what they lead to is never read. */
  readonly unknown: readonly string[];
}

/** No document comes near this; what is larger is something else. */
export const LARGEST_DOCUMENT = 16 * 1024 * 1024;

/** What a folder holds of memory; undefined when it has no `memory/continuity`. */
export async function lookInto(directory: string): Promise<FolderContent | undefined> {
  const root = await realpath(directory);
  if (!(await isFolder(join(root, 'memory'))) || !(await isFolder(join(root, FOLDER)))) return undefined;
  const documents: FolderDocument[] = [];
  const unknown: string[] = [];
  await walk(root, FOLDER, documents, unknown);
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

async function walk(
  root: string,
  folder: string,
  documents: FolderDocument[],
  unknown: string[],
): Promise<void> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) await walk(root, path, documents, unknown);
    else if (entry.isFile() && placeOf(path)) documents.push({ path, file: join(root, path) });
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
    throw new UnreadableDocument(error instanceof Error ? error.message : String(error));
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
