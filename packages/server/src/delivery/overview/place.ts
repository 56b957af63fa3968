import { sql } from 'kysely';

/** Where a page begins: after the row with this time and id. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** Of rows with the newest first, those that come after a place; an index in this order leads there. */
export const before = (at: string, id: string, place: Place) =>
  sql<boolean>`(${sql.ref(at)}, ${sql.ref(id)}) < (${place.at}, ${place.id})`;
