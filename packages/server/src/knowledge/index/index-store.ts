import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, generated, type RowOf, table } from '../../platform/database/table.ts';
import { derived, files } from '../documents/file-table.ts';

const indexes = table('knowledge_indexes', {
  id: generated<number>(),
  owner_id: column<string>(),
  /** Of the last rebuild: words that it did not see are of no use any more. */
  generation: column<number>(),
  /** Null until the first rebuild is through. */
  generated_at: column<number | null>(),
  /** Files that the last rebuild saw and that are gone. */
  removed_count: column<number>(),
});

export type IndexRow = RowOf<typeof indexes>;

export function findIndex(reader: Reader, ownerId: string): Promise<IndexRow | undefined> {
  return reader.get<IndexRow>(indexes.select`WHERE owner_id = ${ownerId}`);
}

/** Begins a rebuild: from here on every write goes into the index. */
export async function beginGeneration(tx: Tx, ownerId: string): Promise<IndexRow> {
  await tx.run(indexes.insertNew({ owner_id: ownerId, generation: 0, generated_at: null, removed_count: 0 }));
  await tx.run(sql`UPDATE knowledge_indexes SET generation = generation + 1 WHERE owner_id = ${ownerId}`);
  const row = await findIndex(tx, ownerId);
  if (!row) throw new TypeError('an inserted index is not there');
  return row;
}

export async function endRebuild(tx: Tx, ownerId: string, now: number): Promise<void> {
  await tx.run(indexes.update({ generated_at: now, removed_count: 0 })`WHERE owner_id = ${ownerId}`);
}

/**
 * PostgreSQL plans by what it last counted, which it does by itself within minutes. Until then it would take a table that was just
 * filled for a small one, and go through all of it.
 */
export async function countForPlans(tx: Tx): Promise<void> {
  await tx.run(sql`ANALYZE knowledge_files, knowledge_postings, knowledge_words, knowledge_suffixes`);
}

export async function countRemoved(tx: Tx, ownerId: string): Promise<void> {
  await tx.run(
    sql`UPDATE knowledge_indexes SET removed_count = removed_count + 1 WHERE owner_id = ${ownerId}`,
  );
}

const indexed = files.pick('id', 'path', 'revision_id', 'segments', ...derived.names);
export type IndexedFile = RowOf<typeof indexed>;

export type NextFiles = (
  reader: Reader,
  ownerId: string,
  after: number,
  limit: number,
) => Promise<IndexedFile[]>;

export const filesAfter: NextFiles = (reader, ownerId, after, limit) =>
  reader.all(indexed.select`
    WHERE owner_id = ${ownerId} AND indexable = 1 AND id > ${after} ORDER BY id LIMIT ${limit}`);

export const changedAfter: NextFiles = (reader, ownerId, after, limit) =>
  reader.all(indexed.select`
    WHERE owner_id = ${ownerId} AND indexable = 1 AND id > ${after}
      AND (rebuilt_revision IS NULL OR rebuilt_revision <> revision) ORDER BY id LIMIT ${limit}`);

export async function indexCounts(reader: Reader, ownerId: string) {
  const row = await reader.get<{ total: number | string; changed: number | string | null }>(sql`
    SELECT count(*) AS total,
      sum(CASE WHEN rebuilt_revision IS NULL OR rebuilt_revision <> revision THEN 1 ELSE 0 END) AS changed
    FROM knowledge_files WHERE owner_id = ${ownerId} AND indexable = 1`);
  return { total: Number(row?.total ?? 0), changed: Number(row?.changed ?? 0) };
}
