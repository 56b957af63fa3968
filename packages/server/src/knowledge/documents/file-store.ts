import type { Dialect, Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { type NewRowOf, type RowOf } from '../../platform/database/table.ts';
import { type FileFacts, type FileRow, files } from './file-table.ts';
import { jsonList } from './json-list.ts';

const heads = files.pick('id', 'revision_id', 'rebuilt_revision');
/** What the next write needs of the file it replaces. */
export type FileHead = RowOf<typeof heads>;

export function findFile(reader: Reader, ownerId: string, path: string): Promise<FileHead | undefined> {
  return reader.get<FileHead>(heads.select`WHERE owner_id = ${ownerId} AND path = ${path}`);
}

const revisions = files.pick('path', 'revision_id');

/** Those of the paths that there are. */
export function findFiles(
  reader: Reader,
  dialect: Dialect,
  ownerId: string,
  paths: readonly string[],
): Promise<RowOf<typeof revisions>[]> {
  const asked = jsonList(dialect, paths);
  return reader.all(
    dialect === 'sqlite'
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

type FileChange = FileFacts & Pick<FileRow, 'revision' | 'revision_id' | 'modified_at' | 'peer_id'>;

export async function changeFile(tx: Tx, id: number, change: FileChange): Promise<void> {
  await tx.run(files.update(change)`WHERE id = ${id}`);
}

/** What its path and text say of it, worked out again for the index. */
export async function rederiveFile(tx: Tx, id: number, facts: FileFacts, revision: number): Promise<void> {
  await tx.run(files.update({ ...facts, rebuilt_revision: revision })`WHERE id = ${id}`);
}

export async function removeFile(tx: Tx, id: number): Promise<void> {
  await tx.run(files.delete`WHERE id = ${id}`);
}

export async function countFiles(reader: Reader, ownerId: string): Promise<number> {
  const row = await reader.get<{ count: number | string }>(
    sql`SELECT count(*) AS count FROM knowledge_files WHERE owner_id = ${ownerId}`,
  );
  return Number(row?.count ?? 0);
}
