import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { headed, type NewRowOf, type RowOf } from '../../platform/database/table.ts';
import { derived, type FileFacts, type FileRow, files } from './file-table.ts';
import { jsonList } from './json-list.ts';

const heads = files.pick('id', 'revision_id', 'rebuilt_revision', 'segments');
/** What the next write needs of the file it replaces. */
export type FileHead = RowOf<typeof heads>;

export function findFile(reader: Reader, ownerId: string, path: string): Promise<FileHead | undefined> {
  return reader.get<FileHead>(heads.select`WHERE owner_id = ${ownerId} AND path = ${path}`);
}

const revisions = files.pick('path', 'revision_id');

/** Those of the paths that there are. */
export function findFiles(
  reader: Reader,
  ownerId: string,
  paths: readonly string[],
): Promise<RowOf<typeof revisions>[]> {
  const asked = jsonList(reader.dialect, paths);
  return reader.all(
    reader.dialect === 'sqlite'
      ? revisions.select`WHERE owner_id = ${ownerId} AND path IN (SELECT value FROM json_each(${asked}))`
      : revisions.select`
          WHERE owner_id = ${ownerId} AND path = ANY (ARRAY(SELECT jsonb_array_elements_text(${asked}::jsonb)))`,
  );
}

const insert = files.insertReturning('id');

export async function insertFile(tx: Tx, row: NewRowOf<typeof files>): Promise<number> {
  const inserted = await tx.get<{ id: number }>(insert(row));
  if (!inserted) throw new TypeError('an inserted file returned no row');
  return inserted.id;
}

type FileChange = Pick<FileRow, 'revision' | 'revision_id' | 'modified_at' | 'peer_id' | 'segments'> &
  Partial<FileFacts>;

export async function changeFile(tx: Tx, id: number, change: FileChange): Promise<void> {
  await tx.run(files.update(change)`WHERE id = ${id}`);
}

/** What its path and text say of it, where that is something else than is known. */
export async function changeFacts(tx: Tx, id: number, known: FileFacts, facts: FileFacts): Promise<void> {
  const changed = derived.difference(derived.names, known, facts);
  if (changed) await tx.run(changed`WHERE id = ${id}`);
}

const seen = headed('UPDATE knowledge_files SET rebuilt_revision = revision, segments = 0');

/** That a rebuild of the index saw them as they are, and whole. */
export async function markRebuilt(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.run(
    tx.dialect === 'sqlite'
      ? seen`WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
      : seen`WHERE id = ANY (${`{${ids.join(',')}}`}::bigint[])`,
  );
}

export async function removeFile(tx: Tx, id: number): Promise<void> {
  await tx.run(files.delete`WHERE id = ${id}`);
}

export async function bytesOfFiles(reader: Reader, ownerId: string): Promise<number> {
  return await reader.total(sql`SELECT sum(size) AS bytes FROM knowledge_files WHERE owner_id = ${ownerId}`);
}
