import { type RawBuilder, sql as built } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { files } from '../documents/file-table.ts';
import { jsonList } from '../documents/json-list.ts';

const results = files.pick(
  'id',
  'path',
  'revision_id',
  'type',
  'size',
  'modified_at',
  'snippet',
  'tags',
  'importance',
);

/** What is told of a file that was found. */
export type ResultRow = RowOf<typeof results>;

const places = files.pick('id', 'path', 'modified_at');
/** What files are put in order by. */
export type PlaceRow = RowOf<typeof places>;

/** Which files come into question, beside what is looked for. */
export interface Filter {
  /** Folders and files the caller may read; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  /** In lower case; none for all. */
  readonly types: readonly string[];
  /** Changed at or after. */
  readonly since: number;
  readonly without?: readonly string[];
}

/** Where to look, and for whom. */
export interface Among {
  readonly reader: Reader;
  readonly ownerId: string;
  readonly filter: Filter;
}

const RESULTS = built.raw(`SELECT ${results.list()} FROM knowledge_files`);
const PLACES = built.raw(`SELECT ${places.list()} FROM knowledge_files`);

async function select<Row>(
  { reader }: Among,
  head: RawBuilder<unknown>,
  tail: RawBuilder<unknown>,
): Promise<Row[]> {
  const { rows } = await built<Row>`${head} ${tail}`.execute(reader.kysely());
  return rows;
}

/** A list of any length as one value, so that the statement stays the same. */
const listed = ({ dialect }: Reader, values: readonly string[]): RawBuilder<unknown> =>
  dialect === 'sqlite'
    ? built`SELECT value FROM json_each(${jsonList(dialect, values)})`
    : built`SELECT value FROM jsonb_array_elements_text(${jsonList(dialect, values)}::jsonb)`;

const numbered = ({ dialect }: Reader, ids: readonly number[]): RawBuilder<unknown> =>
  dialect === 'sqlite'
    ? built`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
    : built`id = ANY (${`{${ids.join(',')}}`}::bigint[])`;

/** `0` is the character after the slash. */
const inside = (namespace: string): RawBuilder<unknown> =>
  built`path = ${namespace} OR (path > ${`${namespace}/`} AND path < ${`${namespace}0`})`;

const OWNER = built.raw('owner_id');
/** By no index: where files are asked for by number, going through all of an owner would take far longer. */
const OWNER_UNINDEXED = built.raw("owner_id || ''");

function where({ reader, ownerId, filter }: Among, owner = OWNER): RawBuilder<unknown> {
  const { namespaces, types, since, without = [] } = filter;
  const conditions = [built`${owner} = ${ownerId} AND indexable = 1 AND modified_at >= ${since}`];
  if (types.length > 0) conditions.push(built`type_key IN (${listed(reader, types)})`);
  if (without.length > 0) conditions.push(built`path NOT IN (${listed(reader, without)})`);
  if (namespaces?.length === 0) conditions.push(built`1 = 0`);
  else if (namespaces) conditions.push(built`(${built.join(namespaces.map(inside), built` OR `)})`);
  return built`WHERE ${built.join(conditions, built` AND `)}`;
}

/** Whether anything beside the owner is asked for. */
export const isNarrowed = ({ namespaces, types, since }: Filter): boolean =>
  namespaces !== undefined || types.length > 0 || since > 0;

export const resultsById = (among: Among, ids: readonly number[]): Promise<ResultRow[]> =>
  select(among, RESULTS, byId(among, ids));

export const placesById = (among: Among, ids: readonly number[]): Promise<PlaceRow[]> =>
  select(among, PLACES, byId(among, ids));

const byId = (among: Among, ids: readonly number[]): RawBuilder<unknown> =>
  built`${where(among, OWNER_UNINDEXED)} AND ${numbered(among.reader, ids)}`;

/** Some that come into question, in no order. */
export const somePlaces = (among: Among, limit: number): Promise<PlaceRow[]> =>
  select(among, PLACES, built`${where(among)} LIMIT ${limit}`);

export const placesByPath = (among: Among, after: PlaceRow | undefined, limit: number): Promise<PlaceRow[]> =>
  select(among, PLACES, built`${where(among)} AND path > ${after?.path ?? ''} ORDER BY path LIMIT ${limit}`);

/** The last changed first. */
export const resultsByTime = (among: Among, limit: number): Promise<ResultRow[]> =>
  select(among, RESULTS, byTime(among, undefined, limit));

export const placesByTime = (among: Among, after: PlaceRow | undefined, limit: number): Promise<PlaceRow[]> =>
  select(among, PLACES, byTime(among, after, limit));

function byTime(among: Among, after: PlaceRow | undefined, limit: number): RawBuilder<unknown> {
  const later = after
    ? built`AND modified_at <= ${after.modified_at} AND (modified_at < ${after.modified_at} OR path > ${after.path})`
    : built``;
  return built`${where(among)} ${later} ORDER BY modified_at DESC, path LIMIT ${limit}`;
}
