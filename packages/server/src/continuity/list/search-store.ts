import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { COLD } from '../artifacts/artifact-table.ts';
import { type ListedRow, type ListFilter, selectListed } from './list-store.ts';

export type SearchedRow = ListedRow & { readonly document: string | null; readonly raw: Uint8Array | null };

/** Words the database can look for in stored JSON as they are. */
const PLAIN = /^[a-z0-9_-]+$/;

/**
 * One page of an owner's artifacts that may hold all the words. The database only sieves: it knows lower case for ASCII
 * alone, and sees keys as well as values.
 */
export async function searchPage(
  reader: Reader,
  filter: ListFilter,
  terms: readonly string[],
  limit: number,
  after?: ListedRow,
): Promise<SearchedRow[]> {
  const body =
    filter.state === COLD
      ? sql<string>`continuity_artifacts.stub`
      : sql<string>`COALESCE(continuity_artifacts.document, r.document)`;
  let query = selectListed(reader, filter, after)
    .leftJoin('continuity_revisions as r', 'r.id', 'continuity_artifacts.revision_id')
    .select([
      sql<string | null>`COALESCE(continuity_artifacts.document, r.document)`.as('document'),
      sql<Uint8Array | null>`COALESCE(continuity_artifacts.raw, r.raw)`.as('raw'),
    ]);
  for (const term of terms.filter((word) => PLAIN.test(word))) {
    query = query.where(sql<boolean>`lower(${body}) LIKE ${`%${term.replaceAll('_', '\\_')}%`} ESCAPE '\\'`);
  }
  return await query.limit(limit).execute();
}
