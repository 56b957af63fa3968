import type { Dialect, Reader } from '../../platform/database/database.ts';
import { compareChars } from '../../platform/chars.ts';
import type { Points } from './points.ts';
import { type Filter, type ResultRow, resultsById, resultsByPath, resultsByTime } from './result-store.ts';

export interface Ranked {
  readonly row: ResultRow;
  readonly points: number;
}

/** Where to look, and which files come into question. */
export interface Asked {
  readonly reader: Reader;
  readonly dialect: Dialect;
  readonly ownerId: string;
  readonly filter: Filter;
  readonly limit: number;
}

/** So many files are fetched by their numbers; of more, the order is walked through until enough are found. */
const FEW = 800;
const PAGE = 400;

/** The most points first, then by path. */
export async function mostPoints(asked: Asked, points: Points): Promise<Ranked[]> {
  const found: Ranked[] = [];
  for (const ids of inBatches(points)) {
    const missing = asked.limit - found.length;
    if (missing <= 0) break;
    const sum = points.get(ids[0] ?? 0);
    const rows =
      ids.length <= FEW
        ? await byNumber(asked, ids)
        : await inOrder(asked, (id) => points.get(id) === sum, missing);
    found.push(...ranked(rows, points).toSorted(byPoints).slice(0, missing));
  }
  return found;
}

/** The last changed first, then by path. */
export async function lastChanged(asked: Asked, points: Points): Promise<Ranked[]> {
  const { reader, dialect, ownerId, filter, limit } = asked;
  if (points.size <= FEW) {
    const rows = await byNumber(asked, [...points.keys()]);
    return ranked(rows, points).toSorted(byTime).slice(0, limit);
  }
  const rows = await walk(
    limit,
    (id) => points.has(id),
    (after) => resultsByTime(reader, dialect, ownerId, filter, after, PAGE),
  );
  return ranked(rows, points);
}

/** Groups of files such that none in a later one has as many points; within a large group all have the same. */
function* inBatches(points: Points): Generator<readonly number[]> {
  const classes = new Map<number, number[]>();
  for (const [id, sum] of points) {
    const ids = classes.get(sum);
    if (ids) ids.push(id);
    else classes.set(sum, [id]);
  }
  let batch: number[] = [];
  for (const [, ids] of [...classes].toSorted(([a], [b]) => b - a)) {
    if (batch.length > 0 && batch.length + ids.length > FEW) {
      yield batch;
      batch = [];
    }
    if (ids.length > FEW) yield ids;
    else batch.push(...ids);
  }
  if (batch.length > 0) yield batch;
}

const byNumber = ({ reader, dialect, ownerId, filter }: Asked, ids: readonly number[]) =>
  resultsById(reader, dialect, ownerId, ids, filter);

function inOrder(
  { reader, dialect, ownerId, filter }: Asked,
  wanted: (id: number) => boolean,
  limit: number,
): Promise<ResultRow[]> {
  return walk(limit, wanted, (after) => resultsByPath(reader, dialect, ownerId, filter, after, PAGE));
}

/** The first of those wanted, in the order of the pages. */
async function walk(
  limit: number,
  wanted: (id: number) => boolean,
  page: (after: ResultRow | undefined) => Promise<ResultRow[]>,
): Promise<ResultRow[]> {
  const found: ResultRow[] = [];
  for (let last: ResultRow | undefined; ; ) {
    const rows = await page(last);
    for (const row of rows) {
      if (wanted(row.id)) found.push(row);
      if (found.length === limit) return found;
    }
    last = rows.at(-1);
    if (rows.length < PAGE) return found;
  }
}

const ranked = (rows: readonly ResultRow[], points: Points): Ranked[] =>
  rows.map((row) => ({ row, points: points.get(row.id) ?? 0 }));

const byPoints = (a: Ranked, b: Ranked): number =>
  b.points - a.points || compareChars(a.row.path, b.row.path);

const byTime = (a: Ranked, b: Ranked): number =>
  b.row.modified_at - a.row.modified_at || compareChars(a.row.path, b.row.path);
