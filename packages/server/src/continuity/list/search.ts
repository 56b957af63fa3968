import type { SearchRequest } from '@parley/protocol/continuity/beyond-requests';
import { isObject } from '@parley/protocol/json';
import { ACTIVE, ARCHIVED, COLD } from '../artifacts/artifact-table.ts';
import { contentOf } from '../artifacts/artifact-store.ts';
import type { MemoryOperation } from '../call.ts';
import { pages } from '../../platform/database/pages.ts';
import { capsuleIn } from '../capsule/envelopes.ts';
import { filterFor, rowContext } from './list.ts';
import { listRow, rowSortKey } from './list-row.ts';
import { compareSalience } from './salience.ts';
import { type SearchedRow, searchPage } from './search-store.ts';
import type { Capsule } from '@parley/protocol/continuity/capsule';
import { CAPSULE_FIELDS, type Field } from '@parley/protocol/continuity/capsule-fields';

const PAGE = 200;

interface Hit {
  readonly row: SearchedRow;
  readonly matches: readonly Match[];
}

/** Capsules in which every word of the query stands; those that say it most often first. */
export const search: MemoryOperation<SearchRequest> = async (memory, { caller, body }) => {
  const now = memory.clock.now();
  const terms = searchTerms(body.query);
  const found: Hit[][] = [];
  if (terms.length > 0) {
    for (const state of body.include_archived ? [ACTIVE, ARCHIVED, COLD] : [ACTIVE]) {
      const filter = filterFor(caller, { subject_kind: body.subject_kind }, state);
      if (!filter) continue;
      const rows = pages<SearchedRow>(PAGE, (after) =>
        searchPage(memory.database.read, filter, terms, PAGE, after),
      );
      found.push(await hitsIn(rows, terms, body.fields));
    }
  }
  const ranked = found
    .flat()
    .toSorted((a, b) => b.matches.length - a.matches.length || bySalience(a, b, now));
  const shown = ranked.slice(0, body.limit);
  const context = rowContext(memory, now);
  memory.audit(caller, 'search', { count: shown.length });
  return {
    ok: true,
    query: body.query,
    count: shown.length,
    results: shown.map(({ row, matches }) => ({ ...listRow(row, context), matches })),
  };
};

const bySalience = (a: Hit, b: Hit, now: number): number =>
  a.row.state - b.row.state ||
  compareSalience(
    { kind: a.row.kind, id: a.row.subject_id, key: rowSortKey(a.row, now) },
    { kind: b.row.kind, id: b.row.subject_id, key: rowSortKey(b.row, now) },
  );

/** Page by page, so that other requests get their turn in between. */
async function hitsIn(
  rows: AsyncIterable<readonly SearchedRow[]>,
  terms: readonly string[],
  fields: readonly string[] | null | undefined,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  for await (const page of rows) {
    for (const row of page) {
      const texts = textsOf(row).filter(([field]) => !fields || isNamed(field, fields));
      const matches = matchesIn(texts, terms);
      if (matches) hits.push({ row, matches });
    }
  }
  return hits;
}

/** A field is named by its path, or by its last word alone. */
const isNamed = (field: string, names: readonly string[]): boolean =>
  names.includes(field) || names.includes(field.slice(field.indexOf('.') + 1));

function textsOf(row: SearchedRow): [string, string][] {
  if (row.state === COLD) return stubTexts(row.stub ?? '');
  const loaded = capsuleIn(row.state === ARCHIVED ? 'archived' : 'active', contentOf(row));
  return loaded ? authoredTexts(loaded.capsule) : [];
}

type Told = [field: string, text: string];

/** What a model or a person wrote, by the field it stands in. */
function authoredTexts(capsule: Capsule): Told[] {
  const { thread_descriptor, continuity, stable_preferences, source } = CAPSULE_FIELDS;
  return [
    ...told('thread_descriptor', thread_descriptor, capsule.thread_descriptor),
    ...told('continuity', continuity, capsule.continuity),
    ...textsIn(stable_preferences, capsule.stable_preferences).map(
      (text): Told => ['stable_preferences', text],
    ),
    ...told('source', source, capsule.source),
  ];
}

function told(section: string, { fields = {} }: Field, value: object | undefined): Told[] {
  const values = new Map(Object.entries(value ?? {}));
  return Object.entries(fields).flatMap(([name, field]) =>
    textsIn(field, values.get(name)).map((text): Told => [`${section}.${name}`, text]),
  );
}

function textsIn({ is, fields = {} }: Field, value: unknown): string[] {
  if (is === 'text' && typeof value === 'string') return [value];
  if (Array.isArray(value)) {
    return is === 'texts' ? value : value.flatMap((entry) => textsIn({ is: 'parts', fields }, entry));
  }
  if (!isObject(value)) return [];
  return Object.entries(fields).flatMap(([name, field]) => textsIn(field, value[name]));
}

/** Of a cold copy, whose capsule is packed away. */
function stubTexts(stub: string): Told[] {
  const [, ...sections] = stub.split('\n## ');
  return sections.map((section): Told => {
    const end = section.indexOf('\n');
    return [`continuity.${section.slice(0, end)}`, section.slice(end + 1).trim()];
  });
}

const TERM = /[\p{L}\p{M}\p{N}_-]{2,}/gu;

/** Distinct words of at least two characters, in lower case; of a query without any, all of it is looked for. */
function searchTerms(query: string): string[] {
  const whole = query.trim().toLowerCase();
  const words = whole.match(TERM) ?? [whole];
  return [...new Set(words)].filter((word) => word !== '');
}

interface Match {
  readonly field: string;
  readonly snippet: string;
}

/** Where the words stand; undefined unless every one of them stands somewhere. */
function matchesIn(texts: readonly Told[], terms: readonly string[]): Match[] | undefined {
  const missing = new Set(terms);
  const matches: Match[] = [];
  for (const [field, text] of texts) {
    const lower = text.toLowerCase();
    const found = terms.filter((term) => lower.includes(term));
    if (found.length === 0) continue;
    for (const term of found) missing.delete(term);
    matches.push({ field, snippet: snippetAround(text, lower.indexOf(found[0] ?? '')) });
  }
  return missing.size === 0 ? matches : undefined;
}

const BEFORE = 40;
const LENGTH = 160;

function snippetAround(text: string, at: number): string {
  const from = wholeCharacter(text, Math.max(0, at - BEFORE));
  const to = wholeCharacter(text, Math.min(text.length, from + LENGTH));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** The same place, or one further where that is inside a character. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
