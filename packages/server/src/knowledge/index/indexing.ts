import type { Tx } from '../../platform/database/database.ts';
import { addSegment, putPostings } from './posting-store.ts';
import { type IndexRef, wordIds } from './vocabulary-store.ts';
import { wordsOf } from './words.ts';

export interface FileWithText {
  readonly id: number;
  readonly path: string;
  readonly text: string;
  /** What was appended since it was last indexed as a whole lies apart. */
  readonly segments: number;
}

/** Puts what files say into the index, in place of what they said before. */
export async function indexFiles(tx: Tx, index: IndexRef, files: readonly FileWithText[]): Promise<void> {
  const known = files.map(({ id, path, text, segments }) => ({
    id,
    segments,
    inPath: wordsOf(path),
    anywhere: wordsOf(`${path} ${text}`),
  }));
  const distinct = new Set(known.flatMap(({ anywhere }) => [...anywhere]));
  const ids = await wordIds(tx, index, distinct);
  const numbers = (words: ReadonlySet<string>): number[] => Array.from(words, (word) => ids.get(word) ?? 0);
  await putPostings(
    tx,
    known.map(({ id, segments, inPath, anywhere }) => ({
      id,
      segments,
      pathWords: numbers(inPath),
      words: numbers(anywhere),
    })),
  );
}

/** Puts what was appended to a file beside what is in the index of it. No word reaches from one line into the next. */
export async function indexSegment(
  tx: Tx,
  index: IndexRef,
  file: { readonly id: number; readonly segment: number; readonly text: string },
): Promise<void> {
  const words = wordsOf(file.text);
  const ids = await wordIds(tx, index, words);
  await addSegment(tx, file, [...ids.values()]);
}
