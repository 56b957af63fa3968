import {
  type FileRecord,
  fileText,
  recordFile,
  type RecordedFile,
} from '../../continuity/artifacts/record-file.ts';
import type { Database, Dialect, Reader, Tx } from '../../platform/database/database.ts';
import { countRemoved, findIndex } from '../index/index-store.ts';
import { indexFiles } from '../index/indexing.ts';
import { removePostings } from '../index/posting-store.ts';
import { changeFile, type FileHead, findFile, insertFile, removeFile } from './file-store.ts';
import { fileFacts, type FileRow } from './file-table.ts';

export interface FileWrite {
  readonly ownerId: string;
  readonly path: string;
  /** What its changes are counted by; the path itself for what never moves. */
  readonly name?: string;
  readonly text: string;
  readonly operation: FileRecord['operation'];
  readonly now: number;
  readonly peerId: string;
  readonly commitMessage: string;
  /** What stands at the path now. */
  readonly replaced: FileHead | undefined;
  /** Where it was until now. */
  readonly movedFrom?: string | undefined;
}

/** A file, its revision and its words in the index: all of it or nothing. For whoever holds the owner's lock. */
export async function saveFile(
  { database }: { readonly database: Database },
  tx: Tx,
  write: FileWrite,
): Promise<RecordedFile> {
  const { ownerId, path, text, now, peerId, replaced, movedFrom } = write;
  const { dialect } = database;
  const recorded = await recordFile(tx, {
    ownerId,
    name: write.name ?? path,
    path,
    ...(movedFrom !== undefined && { removedPaths: [movedFrom] }),
    operation: write.operation,
    text,
    now,
    peerId,
    commitMessage: write.commitMessage,
  });
  if (movedFrom !== undefined) await forgetFile(tx, dialect, ownerId, movedFrom);
  const facts = fileFacts(path, text);
  const change = {
    ...facts,
    revision: recorded.number,
    revision_id: recorded.id,
    modified_at: now,
    peer_id: peerId,
  };
  const id =
    replaced?.id ?? (await insertFile(tx, { ...change, owner_id: ownerId, path, rebuilt_revision: null }));
  if (replaced) await changeFile(tx, id, change);
  const index = facts.indexable === 1 ? await findIndex(tx, ownerId) : undefined;
  if (index) await indexFiles(tx, dialect, index, [{ id, path, text }]);
  return recorded;
}

async function forgetFile(tx: Tx, dialect: Dialect, ownerId: string, path: string): Promise<void> {
  const gone = await findFile(tx, ownerId, path);
  if (!gone) return;
  await removePostings(tx, dialect, gone.id);
  await removeFile(tx, gone.id);
  if (gone.rebuilt_revision !== null) await countRemoved(tx, ownerId);
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
