import type { Dialect, Tx } from '../../platform/database/database.ts';
import { putPostings } from './posting-store.ts';
import { type IndexRef, wordIds } from './vocabulary-store.ts';
import { wordsOf } from './words.ts';

/** Puts what a file says into the index, in place of what it said before. */
export async function indexFile(
  tx: Tx,
  dialect: Dialect,
  index: IndexRef,
  file: { readonly id: number; readonly path: string },
  text: string,
): Promise<void> {
  const inPath = wordsOf(file.path);
  const ids = await wordIds(tx, dialect, index, wordsOf(`${file.path} ${text}`));
  const pathIds = [...inPath].map((word) => ids.get(word) ?? 0);
  await putPostings(tx, dialect, file.id, pathIds, [...ids.values()]);
}
