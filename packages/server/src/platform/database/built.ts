import { type SelectQueryBuilder, sql } from 'kysely';
import type { Reader } from './database.ts';

/** Of the columns to be matched those that were asked for, for the `and` of a condition. */
export function given<Asked extends object>(
  asked: Asked,
): { readonly [Name in keyof Asked]?: Exclude<Asked[Name], undefined> } {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as Asked;
}

/** How many rows a built select would have. */
export async function countOf<Tables, From extends keyof Tables>(
  query: SelectQueryBuilder<Tables, From, object>,
): Promise<number> {
  const counted = query.select(({ fn }) => fn.countAll().as('total')).$castTo<{ total: number | string }>();
  return Number((await counted.executeTakeFirst())?.total ?? 0);
}

/** Whose entries of a list, and how many of them from which. Everybody's, when no owner is named. */
export interface PageAsk {
  readonly ownerId: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The newest first, so many of them; `id` tells apart what was made at once. For the `$call` of a built select. */
export const newest =
  (time: string, id: string, limit: number) =>
  <Tables, From extends keyof Tables, Row>(query: SelectQueryBuilder<Tables, From, Row>) =>
    query.orderBy(sql.ref(time), 'desc').orderBy(sql.ref(id), 'desc').limit(limit);

/** A page of a list. */
export async function newestOf<Row>(
  query: SelectQueryBuilder<{ row: Row }, 'row', object>,
  id: keyof Row & string,
  { limit, offset }: Pick<PageAsk, 'limit' | 'offset'>,
): Promise<Row[]> {
  return await query
    .selectAll()
    .$call(newest('created_at', id, limit))
    .offset(offset)
    .$castTo<Row>()
    .execute();
}

/** Whose, since when, and the length of a stretch. Everybody's, when no owner is named. */
export interface CountAsk {
  readonly ownerId: string | undefined;
  readonly since: number;
  readonly step: number;
}

export interface Counted {
  /** The number of the stretch. */
  readonly bucket: number;
  readonly n: number;
}

/** How many rows of a select there are in each stretch of time. */
export async function countsSince<Tables, From extends keyof Tables>(
  query: SelectQueryBuilder<Tables, From, object>,
  column: string,
  { since, step }: CountAsk,
): Promise<Counted[]> {
  const time = sql.ref(column);
  return await query
    .select(({ fn }) => [
      sql<number>`CAST((${time} - ${since}) / ${step} AS bigint)`.as('bucket'),
      fn.countAll<number>().as('n'),
    ])
    .where(sql<boolean>`${time} >= ${since}`)
    .groupBy(sql.lit(1))
    .$castTo<Counted>()
    .execute();
}

/** The rows of some selects, each of which has an order and an end of its own; undefined of none. */
export function together<Row>(reader: Reader, parts: readonly SelectQueryBuilder<never, never, Row>[]) {
  const kysely = reader.kysely<object>();
  // A part of a union that has an order of its own has to be a table for both databases.
  const [first, ...others] = parts.map((each) => kysely.selectFrom(each.as('part')).selectAll());
  const all = first && others.reduce((united, next) => united.unionAll(next), first);
  return all && kysely.selectFrom(all.as('parts')).selectAll();
}
