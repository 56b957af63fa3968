import { fileText } from '../../continuity/artifacts/record-file.ts';
import type { Dialect, Reader } from '../../platform/database/database.ts';
import { charsOf, cutChars } from '../../platform/chars.ts';
import { POINTS } from '../documents/file-table.ts';
import { filesWith } from '../index/posting-store.ts';
import { wordsWith } from '../index/vocabulary-store.ts';
import { KNOWN_CHARS } from '../index/words.ts';
import { importantFiles, resultsById } from './result-store.ts';

/** Points of each file that has some, by its number. */
export type Points = ReadonlyMap<number, number>;

/**
 * What files are worth: two for each term in the path, one for each term in path or text, and what the file says of its own
 * importance. In thousandths, as whole numbers: both databases say the same, to the last digit.
 */
export async function pointsOf(
  reader: Reader,
  dialect: Dialect,
  index: { readonly id: number; readonly owner_id: string },
  terms: readonly string[],
): Promise<Points> {
  const points = new Map<number, number>();
  const add = (id: number, more: number): void => void points.set(id, (points.get(id) ?? 0) + more);
  const words = await wordsWith(
    reader,
    dialect,
    index.id,
    terms.map((term) => cutChars(term, KNOWN_CHARS)),
  );
  const known = [...words.entries()].map(([at, ids]) => ({ term: terms[at] ?? '', ids }));
  const lists = known.map(({ ids }) => ids);
  const inPath = await filesWith(reader, dialect, 'path_words', lists);
  const anywhere = await filesWith(reader, dialect, 'words', lists);
  for (const [at, { term }] of known.entries()) {
    if (charsOf(term) <= KNOWN_CHARS) {
      for (const id of inPath[at] ?? []) add(id, 2 * POINTS);
      for (const id of anywhere[at] ?? []) add(id, POINTS);
      continue;
    }
    for await (const found of confirmed(reader, dialect, index.owner_id, term, anywhere[at] ?? [])) {
      add(found.id, found.inPath ? 3 * POINTS : POINTS);
    }
  }
  for (const { id, importance_points: importance } of await importantFiles(reader, index.owner_id)) {
    add(id, importance);
  }
  for (const [id, sum] of points) if (sum <= 0) points.delete(id);
  return points;
}

const PAGE = 100;

/** Of a very long term the index knows the beginning: the rest is looked for in the texts themselves. */
async function* confirmed(
  reader: Reader,
  dialect: Dialect,
  ownerId: string,
  term: string,
  ids: readonly number[],
): AsyncGenerator<{ id: number; inPath: boolean }> {
  const all = { namespaces: undefined, types: [], since: 0 };
  for (let at = 0; at < ids.length; at += PAGE) {
    const rows = await resultsById(reader, dialect, ownerId, ids.slice(at, at + PAGE), all);
    for (const { id, path, revision_id: revisionId } of rows) {
      const text = `${path} ${(await fileText(reader, revisionId)) ?? ''}`.toLowerCase();
      if (text.includes(term)) yield { id, inPath: path.toLowerCase().includes(term) };
    }
  }
}
