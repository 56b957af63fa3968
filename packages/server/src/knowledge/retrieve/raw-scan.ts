import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { RetrieveAnswer } from '@parley/protocol/knowledge/answers';
import { CORE_MEMORY } from '@parley/protocol/knowledge/vocabulary';
import { fileHead } from '../../continuity/artifacts/record-file.ts';
import type { Reader } from '../../platform/database/database.ts';
import { compareChars } from '../../platform/chars.ts';
import { snippetOf } from '../documents/attributes.ts';
import { type Filter, resultsByTime } from '../search/result-store.ts';

/** Something to read before the work begins. Where it came from is not told. */
export type RawEvidence = RetrieveAnswer['bundle']['recent_relevant'][number];

export const RAW_SNIPPET_CHARS = 280;

const FILES = 200;
const BYTES = 4_096;

interface Hit {
  readonly evidence: RawEvidence;
  readonly inPath: number;
  readonly inText: number;
  readonly modifiedAt: number;
}

/** Without an index: the beginnings of the last changed files are looked at. What has no hit stays, as the latest. */
export async function rawScan(
  reader: Reader,
  ownerId: string,
  terms: readonly string[],
  filter: Filter,
): Promise<RawEvidence[]> {
  const without = [...CORE_MEMORY, ...(filter.without ?? [])];
  const rows = await resultsByTime({ reader, ownerId, filter: { ...filter, without } }, FILES);
  const hits: Hit[] = [];
  for (const row of rows) {
    const head = (await fileHead(reader, row.revision_id, BYTES)) ?? '';
    const text = Buffer.from(head).subarray(0, BYTES).toString();
    const inPath = countIn(row.path, terms);
    const inText = countIn(text, terms);
    hits.push({
      inPath,
      inText,
      modifiedAt: row.modified_at,
      evidence: {
        path: row.path,
        type: row.type,
        snippet: snippetOf(text, RAW_SNIPPET_CHARS),
        importance: row.importance,
        modified_at: isoSeconds(row.modified_at),
        score: 1000 * inPath + inText,
      },
    });
  }
  return hits.toSorted(byHits).map(({ evidence }) => evidence);
}

const countIn = (text: string, terms: readonly string[]): number => {
  const lower = text.toLowerCase();
  return terms.filter((term) => lower.includes(term)).length;
};

const byHits = (a: Hit, b: Hit): number =>
  b.inPath - a.inPath ||
  b.inText - a.inText ||
  b.modifiedAt - a.modifiedAt ||
  compareChars(a.evidence.path, b.evidence.path);
