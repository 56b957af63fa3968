import type { Dialect, Tx } from '../../platform/database/database.ts';
import { putPostings } from './posting-store.ts';
import { type IndexRef, wordIds } from './vocabulary-store.ts';
import { wordsOf } from './words.ts';

export interface FileWithText {
  readonly id: number;
  readonly path: string;
  readonly text: string;
}

/** Puts what files say into the index, in place of what they said before. */
export async function indexFiles(
  tx: Tx,
  dialect: Dialect,
  index: IndexRef,
  files: readonly FileWithText[],
): Promise<void> {
  const known = files.map(({ id, path, text }) => ({
    id,
    inPath: wordsOf(path),
    anywhere: wordsOf(`${path} ${text}`),
  }));
  const distinct = new Set(known.flatMap(({ anywhere }) => [...anywhere]));
  const ids = await wordIds(tx, dialect, index, distinct);
  const numbers = (words: ReadonlySet<string>): number[] => Array.from(words, (word) => ids.get(word) ?? 0);
  await putPostings(
    tx,
    dialect,
    known.map(({ id, inPath, anywhere }) => ({ id, pathWords: numbers(inPath), words: numbers(anywhere) })),
  );
}
