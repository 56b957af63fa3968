import type { Dialect, Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

/** Says which words a file has: in its path, and in its path or text. */
export async function putPostings(
  tx: Tx,
  dialect: Dialect,
  fileId: number,
  pathWords: readonly number[],
  words: readonly number[],
): Promise<void> {
  if (dialect === 'sqlite') {
    await tx.run(sql`DELETE FROM knowledge_postings WHERE rowid = ${fileId}`);
    await tx.run(sql`
      INSERT INTO knowledge_postings (rowid, path_words, words)
      VALUES (${fileId}, ${pathWords.join(' ')}, ${words.join(' ')})`);
    return;
  }
  await tx.run(sql`
    INSERT INTO knowledge_postings (file_id, path_words, words)
    VALUES (${fileId}, ${arrayOf(pathWords)}::bigint[], ${arrayOf(words)}::bigint[])
    ON CONFLICT (file_id) DO UPDATE SET path_words = excluded.path_words, words = excluded.words`);
}

export async function removePostings(tx: Tx, dialect: Dialect, fileId: number): Promise<void> {
  await tx.run(
    dialect === 'sqlite'
      ? sql`DELETE FROM knowledge_postings WHERE rowid = ${fileId}`
      : sql`DELETE FROM knowledge_postings WHERE file_id = ${fileId}`,
  );
}

const arrayOf = (ids: readonly number[]): string => `{${ids.join(',')}}`;

/** For each list of words the files that have one of them. */
export async function filesWith(
  reader: Reader,
  dialect: Dialect,
  where: 'path_words' | 'words',
  lists: readonly (readonly number[])[],
): Promise<readonly (readonly number[])[]> {
  const asked = JSON.stringify(
    lists.map((ids) => (dialect === 'sqlite' ? `${where} : (${ids.join(' OR ')})` : arrayOf(ids))),
  );
  const rows = await reader.all<{ key: number; ids: string | null }>(FILES[dialect][where](asked));
  const found: (readonly number[])[] = lists.map(() => []);
  for (const { key, ids } of rows) if (ids !== null) found[key] = ids.split(',').map(Number);
  return found;
}

const inFullText = (asked: string) => sql`
  SELECT j.key, (SELECT group_concat(rowid) FROM knowledge_postings WHERE knowledge_postings MATCH j.value) AS ids
  FROM json_each(${asked}) j`;

const FILES = {
  sqlite: { path_words: inFullText, words: inFullText },
  postgres: {
    path_words: (asked: string) => sql`
      SELECT j.key - 1 AS key, (SELECT string_agg(file_id::text, ',') FROM knowledge_postings
        WHERE path_words && j.value::bigint[]) AS ids
      FROM jsonb_array_elements_text(${asked}::jsonb) WITH ORDINALITY AS j(value, key)`,
    words: (asked: string) => sql`
      SELECT j.key - 1 AS key, (SELECT string_agg(file_id::text, ',') FROM knowledge_postings
        WHERE words && j.value::bigint[]) AS ids
      FROM jsonb_array_elements_text(${asked}::jsonb) WITH ORDINALITY AS j(value, key)`,
  },
} as const;
