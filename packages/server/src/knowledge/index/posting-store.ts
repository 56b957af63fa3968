import type { Dialect, Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { FileSet, numbersIn } from './file-set.ts';

/** Which words a file has: in its path, and in its path or text. */
export interface Postings {
  readonly id: number;
  readonly pathWords: readonly number[];
  readonly words: readonly number[];
}

export async function putPostings(tx: Tx, dialect: Dialect, files: readonly Postings[]): Promise<void> {
  if (dialect === 'sqlite') {
    const rows = files.map(({ id, pathWords, words }) => [id, pathWords.join(' '), words.join(' ')]);
    await tx.run(sql`
      DELETE FROM knowledge_postings
      WHERE rowid IN (SELECT value FROM json_each(${JSON.stringify(files.map(({ id }) => id))}))`);
    await tx.run(sql`
      INSERT INTO knowledge_postings (rowid, path_words, words)
      SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${JSON.stringify(rows)})`);
    return;
  }
  const rows = files.map(({ id, pathWords, words }) => [id, arrayOf(pathWords), arrayOf(words)]);
  await tx.run(sql`
    INSERT INTO knowledge_postings (file_id, path_words, words)
    SELECT (value ->> 0)::bigint, (value ->> 1)::integer[], (value ->> 2)::integer[]
    FROM jsonb_array_elements(${JSON.stringify(rows)}::jsonb)
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
): Promise<FileSet[]> {
  const rows = await reader.all<{ key: number; ids: string | null }>(
    FILES[dialect][where](JSON.stringify(lists)),
  );
  const found = lists.map(() => FileSet.empty);
  for (const { key, ids } of rows) if (ids !== null) found[key] = new FileSet(numbersIn(ids));
  return found;
}

/*
 * One word after the other: asked for several at once, both databases compare the lists of all of them for each file of the answer.
 */

const inFullText = (where: 'path_words' | 'words') => (asked: string) =>
  sql`
  SELECT l.key, group_concat(p.rowid) AS ids
  FROM json_each(${asked}) l CROSS JOIN json_each(l.value) w
  CROSS JOIN knowledge_postings p ON p.knowledge_postings MATCH ${where} || ' : ' || w.value
  GROUP BY l.key`;

const FILES = {
  sqlite: { path_words: inFullText('path_words'), words: inFullText('words') },
  postgres: {
    path_words: (asked: string) => sql`
      SELECT l.key - 1 AS key, string_agg((
        SELECT string_agg(file_id::text, ',') FROM knowledge_postings WHERE path_words && ARRAY[w.value::integer]
      ), ',') AS ids
      FROM jsonb_array_elements(${asked}::jsonb) WITH ORDINALITY AS l(value, key)
      CROSS JOIN LATERAL jsonb_array_elements_text(l.value) AS w GROUP BY l.key`,
    words: (asked: string) => sql`
      SELECT l.key - 1 AS key, string_agg((
        SELECT string_agg(file_id::text, ',') FROM knowledge_postings WHERE words && ARRAY[w.value::integer]
      ), ',') AS ids
      FROM jsonb_array_elements(${asked}::jsonb) WITH ORDINALITY AS l(value, key)
      CROSS JOIN LATERAL jsonb_array_elements_text(l.value) AS w GROUP BY l.key`,
  },
} as const;
