import { sql as built } from 'kysely';
import type { Dialect, Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { entriesOf, entryOf } from './words.ts';

export interface IndexRef {
  readonly id: number;
  readonly generation: number;
}

interface WordRow {
  readonly word: string;
  readonly id: number;
  readonly seen: number;
}

/** The numbers of words; those that are new get one. Asked by the one writer of an owner's index alone. */
export async function wordIds(
  tx: Tx,
  index: IndexRef,
  words: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const asked = JSON.stringify([...words]);
  const known =
    tx.dialect === 'postgres' && words.size > FEW_WORDS
      ? await plannedAnew(tx, index, asked)
      : await tx.all<WordRow>(knownWords(tx.dialect, index, asked));
  const ids = new Map(known.map(({ word, id }) => [word, id]));
  const forgotten = known.filter(({ seen }) => seen < index.generation).map(({ id }) => id);
  if (forgotten.length > 0) await tx.run(markSeen(tx.dialect, index, JSON.stringify(forgotten)));
  const fresh = [...words].filter((word) => !ids.has(word));
  if (fresh.length === 0) return ids;
  const added = await tx.all<WordRow>(addWords(tx.dialect, index, JSON.stringify(fresh)));
  const entries = added.flatMap(({ word, id }) => entriesOf(word).map((suffix) => [suffix, id] as const));
  await tx.run(addSuffixes(tx.dialect, index, JSON.stringify(entries)));
  for (const { word, id } of added) ids.set(word, id);
  return ids;
}

/*
 * Each word is looked up by itself. Left to themselves both databases would rather go through all words there are: SQLite does a
 * cross join in the order it is written in, PostgreSQL asks a lateral query of one row once for each.
 */
const knownWords = (dialect: Dialect, { id }: IndexRef, words: string) =>
  dialect === 'sqlite'
    ? sql`SELECT w.word, w.id, w.seen FROM json_each(${words}) j
        CROSS JOIN knowledge_words w ON w.index_id = ${id} AND w.word = j.value`
    : sql`SELECT j.value AS word, w.id, w.seen FROM jsonb_array_elements_text(${words}::jsonb) j
        CROSS JOIN LATERAL (
          SELECT id, seen FROM knowledge_words WHERE index_id = ${id} AND word = j.value LIMIT 1
        ) w`;

const FEW_WORDS = 500;

/**
 * PostgreSQL keeps the plan of a statement that it knows by name. One that was made while there were hardly any words goes through
 * all of them for each that is asked for: with very many of both that takes longer than any statement may.
 */
async function plannedAnew(tx: Tx, { id }: IndexRef, words: string): Promise<readonly WordRow[]> {
  const { rows } = await built<WordRow>`
    SELECT j.value AS word, w.id, w.seen FROM jsonb_array_elements_text(${words}::jsonb) j
    CROSS JOIN LATERAL (
      SELECT id, seen FROM knowledge_words WHERE index_id = ${id} AND word = j.value LIMIT 1
    ) w`.execute(tx.kysely());
  return rows;
}

const markSeen = (dialect: Dialect, { generation }: IndexRef, ids: string) =>
  dialect === 'sqlite'
    ? sql`UPDATE knowledge_words SET seen = ${generation} WHERE id IN (SELECT value FROM json_each(${ids}))`
    : sql`UPDATE knowledge_words SET seen = ${generation}
        WHERE id IN (SELECT value::bigint FROM jsonb_array_elements_text(${ids}::jsonb))`;

const addWords = (dialect: Dialect, { id, generation }: IndexRef, words: string) =>
  dialect === 'sqlite'
    ? sql`INSERT INTO knowledge_words (index_id, word, seen)
        SELECT ${id}, value, ${generation} FROM json_each(${words}) RETURNING word, id, seen`
    : sql`INSERT INTO knowledge_words (index_id, word, seen)
        SELECT ${id}::bigint, value, ${generation}::bigint FROM jsonb_array_elements_text(${words}::jsonb)
        RETURNING word, id, seen`;

const addSuffixes = (dialect: Dialect, { id }: IndexRef, entries: string) =>
  dialect === 'sqlite'
    ? sql`INSERT INTO knowledge_suffixes (index_id, suffix, word_id)
        SELECT ${id}, value ->> 0, value ->> 1 FROM json_each(${entries}) WHERE true ON CONFLICT DO NOTHING`
    : sql`INSERT INTO knowledge_suffixes (index_id, suffix, word_id)
        SELECT ${id}::bigint, value ->> 0, (value ->> 1)::bigint FROM jsonb_array_elements(${entries}::jsonb)
        ON CONFLICT DO NOTHING`;

/** By the place of a term in the list: the words it lies in. Terms that lie in none are not there. */
export async function wordsWith(
  reader: Reader,
  indexId: number,
  terms: readonly string[],
): Promise<Map<number, readonly number[]>> {
  const asked = JSON.stringify(terms.map(entryOf).map((entry) => [entry, `${entry}\u{10ffff}`]));
  const rows = await reader.all<{ term: number; ids: string }>(
    reader.dialect === 'sqlite'
      ? sql`SELECT j.key AS term, group_concat(DISTINCT s.word_id) AS ids FROM json_each(${asked}) j
          CROSS JOIN knowledge_suffixes s ON s.index_id = ${indexId}
            AND s.suffix >= (j.value ->> 0) AND s.suffix < (j.value ->> 1) GROUP BY j.key`
      : sql`SELECT j.key - 1 AS term, s.ids
          FROM jsonb_array_elements(${asked}::jsonb) WITH ORDINALITY AS j(value, key)
          CROSS JOIN LATERAL (
            SELECT string_agg(DISTINCT word_id::text, ',') AS ids FROM knowledge_suffixes
            WHERE index_id = ${indexId} AND suffix >= (j.value ->> 0) AND suffix < (j.value ->> 1)
          ) s WHERE s.ids IS NOT NULL`,
  );
  return new Map(rows.map(({ term, ids }) => [term, ids.split(',').map(Number)]));
}

const SWEPT = 500;

/** Forgets some words that no file has any more; false when none is left. */
export async function sweepWords(tx: Tx, index: IndexRef): Promise<boolean> {
  const rows = await tx.all<{ id: number }>(sql`
    SELECT id FROM knowledge_words WHERE index_id = ${index.id} AND seen < ${index.generation} LIMIT ${SWEPT}`);
  for (const { id } of rows) {
    await tx.run(sql`DELETE FROM knowledge_suffixes WHERE word_id = ${id}`);
    await tx.run(sql`DELETE FROM knowledge_words WHERE id = ${id}`);
  }
  return rows.length === SWEPT;
}
