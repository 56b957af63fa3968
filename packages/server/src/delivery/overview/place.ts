import { type SelectQueryBuilder, sql } from 'kysely';
import { newest } from '../../platform/database/built.ts';

/** Where a page begins: after the row with this time and id. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** Of rows with the newest first, those that come after a place; an index in this order leads there. */
export const before = (at: string, id: string, place: Place) =>
  sql<boolean>`(${sql.ref(at)}, ${sql.ref(id)}) < (${place.at}, ${place.id})`;

/** A page of such rows, for the `$call` of a built select. */
export const pageAfter =
  (
    time: string,
    id: string,
    { after, limit }: { readonly after: Place | undefined; readonly limit: number },
  ) =>
  <Tables, From extends keyof Tables, Row>(query: SelectQueryBuilder<Tables, From, Row>) => {
    const page = query.$call(newest(time, id, limit));
    return after ? page.where(before(time, id, after)) : page;
  };
