import type { SearchRequest } from '@parley/protocol/continuity/beyond-requests';
import { ACTIVE, ARCHIVED, COLD } from '../artifacts/artifact-table.ts';
import { contentOf } from '../artifacts/artifact-store.ts';
import type { OperationCall } from '../call.ts';
import type { MemoryContext } from '../memory-context.ts';
import { openArchive } from '../capsule/envelopes.ts';
import { isLoaded, loadCapsule } from '../capsule/load-capsule.ts';
import { filterFor, rowContext } from './list.ts';
import { listRow, rowSortKey } from './list-row.ts';
import { compareSalience } from './salience.ts';
import { searchPage, type SearchedRow } from './search-store.ts';
import { authoredTexts, type Match, matchesIn, searchTerms, stubTexts } from './search-text.ts';

const PAGE = 200;

interface Hit {
  readonly row: SearchedRow;
  readonly matches: readonly Match[];
}

/** Capsules in which every word of the query stands; those that say it most often first. */
export async function search(
  memory: MemoryContext,
  { caller, body }: OperationCall<SearchRequest>,
): Promise<object> {
  const now = memory.clock.now();
  const terms = searchTerms(body.query);
  const hits: Hit[] = [];
  if (terms.length > 0) {
    for (const state of body.include_archived ? [ACTIVE, ARCHIVED, COLD] : [ACTIVE]) {
      const filter = filterFor(caller, { subject_kind: body.subject_kind }, state);
      if (filter) await collect(memory, caller.ownerId, state, filter, terms, body.fields ?? undefined, hits);
    }
  }
  const ranked = hits.toSorted((a, b) => b.matches.length - a.matches.length || bySalience(a, b, now));
  const shown = ranked.slice(0, body.limit);
  const context = rowContext(memory, now);
  memory.audit.note(caller, 'search', { count: shown.length });
  return {
    ok: true,
    query: body.query,
    count: shown.length,
    results: shown.map(({ row, matches }) => ({ ...listRow(row, context), matches })),
  };
}

const bySalience = (a: Hit, b: Hit, now: number): number =>
  a.row.state - b.row.state ||
  compareSalience(
    { kind: a.row.kind, id: a.row.subject_id, key: rowSortKey(a.row, now) },
    { kind: b.row.kind, id: b.row.subject_id, key: rowSortKey(b.row, now) },
  );

/** Page by page, so that other requests get their turn in between. */
async function collect(
  memory: MemoryContext,
  ownerId: string,
  state: number,
  filter: Parameters<typeof searchPage>[3],
  terms: readonly string[],
  fields: readonly string[] | undefined,
  hits: Hit[],
): Promise<void> {
  let after: SearchedRow | undefined;
  for (;;) {
    const page = await searchPage(memory.database.read, ownerId, state, filter, terms, PAGE, after);
    for (const row of page) {
      const texts = textsOf(row).filter(([field]) => !fields || isNamed(field, fields));
      const matches = matchesIn(texts, terms);
      if (matches) hits.push({ row, matches });
    }
    after = page.at(-1);
    if (page.length < PAGE || !after) return;
  }
}

/** A field is named by its path, or by its last word alone. */
const isNamed = (field: string, names: readonly string[]): boolean =>
  names.includes(field) || names.includes(field.slice(field.indexOf('.') + 1));

function textsOf(row: SearchedRow): [string, string][] {
  if (row.state === COLD) return stubTexts(row.stub ?? '');
  if (row.state === ARCHIVED) {
    const envelope = openArchive(contentOf(row));
    return typeof envelope === 'string' ? [] : authoredTexts(envelope.loaded.capsule);
  }
  const loaded = loadCapsule(contentOf(row));
  return isLoaded(loaded) ? authoredTexts(loaded.capsule) : [];
}
