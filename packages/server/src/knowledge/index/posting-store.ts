import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { headed } from '../../platform/database/table.ts';
import { FileSet, numbersIn } from './file-set.ts';

/*
 * The words of a file stand in one row under its number. What is appended to it gets a row of its own, `segment * SEGMENT` further
 * up, until the file is indexed as a whole again: putting one more word into a row of very many costs as much as all of them.
 */
const SEGMENT = 1_099_511_627_776;
/** So many rows of one file, and all numbers stay exact. */
export const MOST_SEGMENTS = 1_000;

interface Segmented {
  readonly id: number;
  readonly segments: number;
}

const segmentsOf = ({ id, segments }: Segmented): number[] =>
  Array.from({ length: segments }, (_, at) => id + (at + 1) * SEGMENT);

/** Which words a file has: in its path, and in its path or text. */
export interface Postings extends Segmented {
  readonly pathWords: readonly number[];
  readonly words: readonly number[];
}

export async function putPostings(tx: Tx, files: readonly Postings[]): Promise<void> {
  if (tx.dialect === 'sqlite') {
    const rows = files.map(({ id, pathWords, words }) => [id, pathWords.join(' '), words.join(' ')]);
    await removePostings(tx, files);
    await tx.run(sql`
      INSERT INTO knowledge_postings (rowid, path_words, words)
      SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${JSON.stringify(rows)})`);
    return;
  }
  const appended = files.flatMap(segmentsOf);
  if (appended.length > 0) await removeRows(tx, appended);
  const rows = files.map(({ id, pathWords, words }) => [id, arrayOf(pathWords), arrayOf(words)]);
  await tx.run(sql`
    INSERT INTO knowledge_postings (file_id, path_words, words)
    SELECT (value ->> 0)::bigint, (value ->> 1)::integer[], (value ->> 2)::integer[]
    FROM jsonb_array_elements(${JSON.stringify(rows)}::jsonb)
    ON CONFLICT (file_id) DO UPDATE SET path_words = excluded.path_words, words = excluded.words`);
}

export async function addSegment(
  tx: Tx,
  { id, segment }: { readonly id: number; readonly segment: number },
  words: readonly number[],
): Promise<void> {
  const row = id + segment * SEGMENT;
  await tx.run(
    tx.dialect === 'sqlite'
      ? sql`INSERT INTO knowledge_postings (rowid, path_words, words) VALUES (CAST(${row} AS integer), '', ${words.join(' ')})`
      : sql`INSERT INTO knowledge_postings (file_id, path_words, words) VALUES (${row}, '{}', ${arrayOf(words)})`,
  );
}

export async function removePostings(tx: Tx, files: readonly Segmented[]): Promise<void> {
  await removeRows(
    tx,
    files.flatMap((file) => [file.id, ...segmentsOf(file)]),
  );
}

async function removeRows(tx: Tx, rows: readonly number[]): Promise<void> {
  await tx.run(
    tx.dialect === 'sqlite'
      ? sql`DELETE FROM knowledge_postings WHERE rowid IN (SELECT value FROM json_each(${JSON.stringify(rows)}))`
      : sql`DELETE FROM knowledge_postings WHERE file_id = ANY (${arrayOf(rows)}::bigint[])`,
  );
}

const arrayOf = (ids: readonly number[]): string => `{${ids.join(',')}}`;

/** For each list of words the files that have one of them. */
export async function filesWith(
  reader: Reader,
  where: 'path_words' | 'words',
  lists: readonly (readonly number[])[],
): Promise<FileSet[]> {
  const rows = await reader.all<{ key: number; ids: string | null }>(
    FILES[reader.dialect][where](JSON.stringify(lists)),
  );
  const found = lists.map(() => FileSet.empty);
  for (const { key, ids } of rows) if (ids !== null) found[key] = new FileSet(numbersIn(ids));
  return found;
}

/*
 * The number of a file is what is left of that of a row. One word after the other: asked for several at once, both databases compare the lists of all of them for each file of the answer.
 */

const inFullText = (where: 'path_words' | 'words') => (asked: string) =>
  sql`
  SELECT l.key, group_concat(p.rowid % 1099511627776) AS ids
  FROM json_each(${asked}) l CROSS JOIN json_each(l.value) w
  CROSS JOIN knowledge_postings p ON p.knowledge_postings MATCH ${where} || ' : ' || w.value
  GROUP BY l.key`;

const inArrays = (where: 'path_words' | 'words') => {
  const files = headed(`SELECT l.key - 1 AS key, string_agg((
      SELECT string_agg((file_id % 1099511627776)::text, ',') FROM knowledge_postings WHERE ${where} && ARRAY[w.value::integer]
    ), ',') AS ids FROM`);
  return (asked: string) => files`jsonb_array_elements(${asked}::jsonb) WITH ORDINALITY AS l(value, key)
      CROSS JOIN LATERAL jsonb_array_elements_text(l.value) AS w GROUP BY l.key`;
};

const FILES = {
  sqlite: { path_words: inFullText('path_words'), words: inFullText('words') },
  postgres: { path_words: inArrays('path_words'), words: inArrays('words') },
} as const;
