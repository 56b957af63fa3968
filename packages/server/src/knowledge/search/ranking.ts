import { compareChars } from '../../platform/chars.ts';
import {
  type Among,
  isNarrowed,
  type PlaceRow,
  placesById,
  placesByPath,
  placesByTime,
  type ResultRow,
  resultsById,
  somePlaces,
} from './result-store.ts';
import type { Tally } from './tally.ts';

interface Ranked {
  readonly row: ResultRow;
  readonly points: number;
}

export interface Asked extends Among {
  readonly limit: number;
}

/** So many files are fetched by their numbers; of more, the order is walked through until enough are found. */
const FEW = 800;
const PAGE = 400;

/** The most points first, then by path. */
export async function mostPoints(asked: Asked, points: Tally): Promise<Ranked[]> {
  const byPoints = (a: PlaceRow, b: PlaceRow): number =>
    points.get(b.id) - points.get(a.id) || compareChars(a.path, b.path);
  const few = await fewReadable(asked, points);
  if (few) return await told(asked, points, few.toSorted(byPoints));
  const found: PlaceRow[] = [];
  for (const { low, high, size } of batchesOf(points)) {
    const missing = asked.limit - found.length;
    if (missing <= 0) break;
    const places =
      size <= FEW
        ? await placesById(asked, points.between(low, high))
        : await walk(
            missing,
            (id) => points.get(id) === high,
            (after) => placesByPath(asked, after, PAGE),
          );
    found.push(...places.toSorted(byPoints).slice(0, missing));
  }
  return await told(asked, points, found);
}

/** The last changed first, then by path. */
export async function lastChanged(asked: Asked, points: Tally): Promise<Ranked[]> {
  const all = points.between(1, Number.MAX_SAFE_INTEGER);
  const few = all.length <= FEW ? await placesById(asked, all) : await fewReadable(asked, points);
  const found = few
    ? few.toSorted((a, b) => b.modified_at - a.modified_at || compareChars(a.path, b.path))
    : await walk(
        asked.limit,
        (id) => points.get(id) > 0,
        (after) => placesByTime(asked, after, PAGE),
      );
  return await told(asked, points, found);
}

/** All files with points, where few come into question at all; going through the points would meet mostly others. */
async function fewReadable(asked: Asked, points: Tally): Promise<PlaceRow[] | undefined> {
  if (!isNarrowed(asked.filter)) return undefined;
  const places = await somePlaces(asked, FEW + 1);
  return places.length > FEW ? undefined : places.filter(({ id }) => points.get(id) > 0);
}

interface Batch {
  /** The points of all in it lie between these; in a large one all have the same. */
  readonly low: number;
  readonly high: number;
  readonly size: number;
}

/** Groups of files such that none in a later one has as many points. */
function* batchesOf(points: Tally): Generator<Batch> {
  let batch: Batch | undefined;
  for (const [sum, size] of [...points.sizes()].toSorted(([a], [b]) => b - a)) {
    if (batch && batch.size + size <= FEW) batch = { low: sum, high: batch.high, size: batch.size + size };
    else {
      if (batch) yield batch;
      batch = { low: sum, high: sum, size };
    }
  }
  if (batch) yield batch;
}

/** The first of those wanted, in the order of the pages. */
async function walk(
  limit: number,
  wanted: (id: number) => boolean,
  page: (after: PlaceRow | undefined) => Promise<PlaceRow[]>,
): Promise<PlaceRow[]> {
  const found: PlaceRow[] = [];
  for (let last: PlaceRow | undefined; ; ) {
    const rows = await page(last);
    for (const row of rows) {
      if (wanted(row.id)) found.push(row);
      if (found.length === limit) return found;
    }
    last = rows.at(-1);
    if (rows.length < PAGE) return found;
  }
}

/** The first of them, with what is told of them. */
async function told(asked: Asked, points: Tally, places: readonly PlaceRow[]): Promise<Ranked[]> {
  const ids = places.slice(0, asked.limit).map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = new Map((await resultsById(asked, ids)).map((row) => [row.id, row]));
  // One that was removed meanwhile is left out.
  return ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [{ row, points: points.get(id) }] : [];
  });
}
