import { fileText } from '../../continuity/artifacts/record-file.ts';
import { charsOf } from '../../platform/chars.ts';
import { POINTS } from '../documents/file-table.ts';
import { KNOWN_CHARS } from '../index/words.ts';
import type { FileSet } from '../index/file-set.ts';
import { resultsById } from './result-store.ts';
import { Tally } from './tally.ts';
import type { Asking, TermMemory } from './term-memory.ts';

/**
 * What files are worth: two for each term in the path, one for each term in path or text, and what the file says of its own
 * importance. In thousandths, as whole numbers: both databases say the same, to the last digit.
 */
export async function pointsOf(memory: TermMemory, asking: Asking, terms: readonly string[]): Promise<Tally> {
  const { log } = asking;
  const found = await memory.find(asking, terms);
  const tally = new Tally([log.important, ...found.map(({ anywhere }) => anywhere)]);
  for (const [at, { inPath, anywhere }] of found.entries()) {
    const term = terms[at] ?? '';
    if (charsOf(term) <= KNOWN_CHARS) {
      tally.addAll(inPath, 2 * POINTS);
      tally.addAll(anywhere, POINTS);
      continue;
    }
    for await (const { id, isInPath } of confirmed(asking, term, anywhere)) {
      tally.add(id, isInPath ? 3 * POINTS : POINTS);
    }
  }
  for (const [id, points] of log.importance) tally.add(id, points);
  return tally;
}

const PAGE = 100;

/** Of a very long term the index knows the beginning: the rest is looked for in the texts themselves. */
async function* confirmed(
  { reader, index }: Asking,
  term: string,
  files: FileSet,
): AsyncGenerator<{ id: number; isInPath: boolean }> {
  const ids: number[] = [];
  files.forEach((id) => ids.push(id));
  const filter = { namespaces: undefined, types: [], since: 0 };
  const all = { reader, ownerId: index.owner_id, filter };
  for (let at = 0; at < ids.length; at += PAGE) {
    const rows = await resultsById(all, ids.slice(at, at + PAGE));
    for (const { id, path, revision_id: revisionId } of rows) {
      const text = `${path} ${(await fileText(reader, revisionId)) ?? ''}`.toLowerCase();
      if (text.includes(term)) yield { id, isInPath: path.toLowerCase().includes(term) };
    }
  }
}
