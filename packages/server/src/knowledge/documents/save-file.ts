import {
  type FileRecord,
  fileText,
  recordFile,
  type RecordedFile,
} from '../../continuity/artifacts/record-file.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { countRemoved } from '../index/index-store.ts';
import { indexFiles } from '../index/indexing.ts';
import { removePostings } from '../index/posting-store.ts';
import { changeFile, type FileHead, findFile, findFiles, insertFile, removeFile } from './file-store.ts';
import { fileFacts, type FileRow } from './file-table.ts';
import type { FilePlace } from './place-store.ts';

export interface FileWrite extends Omit<FileRecord, 'name' | 'removedPaths' | 'replaces'> {
  /** What its changes are counted by; the path itself for what never moves. */
  readonly name?: string;
  /** What is there now, and where its words go. */
  readonly place: { readonly replaced: FileHead | undefined; readonly index: FilePlace['index'] };
  /** Where it was until now. */
  readonly movedFrom?: string | undefined;
}

/** A file, its revision and its words in the index: all of it or nothing. For whoever holds the owner's lock. */
export async function saveFile(tx: Tx, write: FileWrite): Promise<RecordedFile> {
  const { place, movedFrom, ...file } = write;
  const { ownerId, path, text, now, peerId } = file;
  const { replaced, index } = place;
  const gone = movedFrom === undefined ? undefined : await findFile(tx, ownerId, movedFrom);
  const recorded = await recordFile(tx, {
    ...file,
    name: file.name ?? path,
    ...(movedFrom !== undefined && { removedPaths: [movedFrom] }),
    replaces: (replaced ?? gone)?.revision_id,
  });
  if (gone) await forgetFile(tx, ownerId, gone);
  const facts = fileFacts(path, text);
  const change = {
    ...facts,
    revision: recorded.number,
    revision_id: recorded.id,
    modified_at: now,
    peer_id: peerId,
    segments: 0,
  };
  const id =
    replaced?.id ?? (await insertFile(tx, { ...change, owner_id: ownerId, path, rebuilt_revision: null }));
  if (replaced) await changeFile(tx, id, change);
  if (index && facts.indexable === 1) {
    await indexFiles(tx, index, [{ id, path, text, segments: replaced?.segments ?? 0 }]);
  }
  return recorded;
}

async function forgetFile(tx: Tx, ownerId: string, gone: FileHead): Promise<void> {
  await removePostings(tx, [gone]);
  await removeFile(tx, gone.id);
  if (gone.rebuilt_revision !== null) await countRemoved(tx, ownerId);
}

/** What files say, in the order of the paths; those that are not there are left out. */
export async function textsOfFiles(
  read: Reader,
  ownerId: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map();
  const heads = new Map((await findFiles(read, ownerId, paths)).map((head) => [head.path, head]));
  const texts = await Promise.all(
    paths.map(async (path) => {
      const head = heads.get(path);
      return head && ((await fileText(read, head.revision_id)) ?? (await textOfFile(read, ownerId, path)));
    }),
  );
  return new Map(
    paths.flatMap((path, at) => {
      const text = texts[at];
      return text === undefined ? [] : [[path, text]];
    }),
  );
}

/** What a file says. Its revision may have been replaced since it was looked up: then the new one is asked for. */
export async function textOfFile(reader: Reader, ownerId: string, path: string): Promise<string | undefined> {
  for (let tries = 0; tries < 5; tries += 1) {
    const head: Pick<FileRow, 'revision_id'> | undefined = await findFile(reader, ownerId, path);
    if (!head) return undefined;
    const text = await fileText(reader, head.revision_id);
    if (text !== undefined) return text;
  }
  throw new Error('a document changes faster than it can be read');
}
