import type { Reader, Tx } from '../../platform/database/database.ts';
import { columnText } from './artifact.ts';
import { commitId } from './commit-id.ts';
import { type MemoryChange, recordRevision } from './record-change.ts';
import {
  type ForeignOperation,
  headOfRevision,
  extendRevision,
  lastOfRevision,
  removeRevision,
  type RevisionContent,
  contentOfRevision,
  contentsOfRevisions,
} from './revision-store.ts';

/** A change of something that lies under a path and is no capsule: nobody asks for its past, so only its newest text is kept. */
export interface FileRecord
  extends Pick<MemoryChange, 'ownerId' | 'path' | 'removedPaths' | 'now' | 'peerId' | 'commitMessage'> {
  /** What its changes are counted by, also when it moves to another path. */
  readonly name: string;
  readonly operation: ForeignOperation;
  readonly text: string;
  /** The revision that held its text until now. */
  readonly replaces: number | undefined;
}

export interface RecordedFile {
  readonly id: number;
  readonly number: number;
  /** How callers name the change. */
  readonly commit: string;
}

/** Its revision, which also holds the text. What points at the one before has to point at this one now. */
export async function recordFile(tx: Tx, record: FileRecord): Promise<RecordedFile> {
  const { name, text, replaces, ...rest } = record;
  const { revision, commit } = await recordRevision(tx, {
    ...rest,
    kind: 'file',
    slug: name,
    subjectId: undefined,
    // PostgreSQL keeps no NUL in a text.
    ...(text.includes('\0') ? { raw: Buffer.from(text) } : { document: text }),
  });
  if (replaces !== undefined) await removeRevision(tx, replaces);
  return { ...revision, commit };
}

/** Records that text came to the end of a file, as far as that needs no more of it than the end. */
export async function recordExtension(
  tx: Tx,
  ownerId: string,
  more: string,
  record: Pick<FileRecord, 'operation' | 'now' | 'peerId' | 'commitMessage'> & { readonly replaces: number },
): Promise<RecordedFile> {
  const { id, number } = await extendRevision(tx, record.replaces, more, {
    operation: record.operation,
    recorded_at: record.now,
    peer_id: record.peerId,
    commit_message: columnText(record.commitMessage),
  });
  await removeRevision(tx, record.replaces);
  return { id, number, commit: commitId(ownerId, id) };
}

/** The last character of a file; undefined where it is kept as bytes. */
export const lastOfFile = lastOfRevision;

const textOf = (row: RevisionContent | undefined): string | undefined =>
  row && (row.document ?? Buffer.from(row.raw ?? []).toString());

/** Undefined when a later one has taken its place meanwhile. */
export async function fileText(reader: Reader, revisionId: number): Promise<string | undefined> {
  return textOf(await contentOfRevision(reader, revisionId));
}

/** By the numbers of their revisions. */
export async function fileTexts(
  reader: Reader,
  revisionIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await contentsOfRevisions(reader, revisionIds);
  return new Map(rows.map((row) => [row.id, textOf(row) ?? '']));
}

/** No more than the first so many characters or bytes, whichever it is kept in. */
export async function fileHead(
  reader: Reader,
  revisionId: number,
  most: number,
): Promise<string | undefined> {
  return textOf(await headOfRevision(reader, revisionId, most));
}
