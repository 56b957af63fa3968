import { ADMIN_SCOPE } from '@parley/protocol/identity/scopes';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { RecentRequest, SearchDocumentsRequest } from '@parley/protocol/knowledge/requests';
import type { Caller } from '../../wire/caller.ts';
import { POINTS } from '../documents/file-table.ts';
import { findIndex } from '../index/index-store.ts';
import { termsOf } from '../index/words.ts';
import type { KnowledgeContext, FileAction } from '../knowledge-context.ts';
import { pointsOf } from './points.ts';
import { lastChanged, mostPoints } from './ranking.ts';
import { type Filter, type ResultRow, resultsByTime } from './result-store.ts';
import type { Asking } from './term-memory.ts';
import { HOUR } from '../../platform/units.ts';

/** Files by the words in them. Without an index nothing is found. */
export const search: FileAction<SearchDocumentsRequest> = async (knowledge, { caller, body }) => {
  const { query, sort_by: sort, limit } = body;
  const filter = filterOf(caller, body.include_types, sinceHours(knowledge, body.time_window_hours));
  const asking = await knowledge.terms.open(knowledge.database.read, caller.ownerId);
  const results = asking ? await foundFiles(knowledge, asking, termsOf(query), { filter, limit, sort }) : [];
  knowledge.audit(caller, 'search', { count: results.length });
  return { ok: true, query, sort_by: sort, count: results.length, results };
};

export interface Wanted {
  readonly filter: Filter;
  readonly limit: number;
  readonly sort: SearchDocumentsRequest['sort_by'];
}

export async function foundFiles(
  { terms: memory }: KnowledgeContext,
  asking: Asking,
  terms: readonly string[],
  { filter, limit, sort }: Wanted,
) {
  const { reader, index } = asking;
  const points = await pointsOf(memory, asking, terms);
  const asked = { reader, ownerId: index.owner_id, filter, limit };
  const ranked = sort === 'recent' ? await lastChanged(asked, points) : await mostPoints(asked, points);
  return ranked.map(({ row, points: sum }) => told(row, sum / POINTS));
}

/** The files that changed last. */
export const recent: FileAction<RecentRequest> = async (knowledge, { caller, body }) => {
  const { ownerId } = caller;
  const { read: reader } = knowledge.database;
  const hours = body.time_window_hours ?? (body.time_window_days == null ? null : body.time_window_days * 24);
  const filter = filterOf(caller, body.include_types, sinceHours(knowledge, hours));
  const there = (await findIndex(reader, ownerId))?.generated_at != null;
  const rows = there ? await resultsByTime({ reader, ownerId, filter }, body.limit) : [];
  knowledge.audit(caller, 'recent', { count: rows.length });
  return { ok: true, count: rows.length, results: rows.map((row) => told(row, row.importance)) };
};

const sinceHours = ({ clock }: KnowledgeContext, hours: number | null | undefined): number =>
  hours == null ? 0 : clock.now() - hours * HOUR;

/** What the caller may see of what it asks for. */
export function filterOf(caller: Caller, types: readonly string[], since: number): Filter {
  const all = caller.scopes.includes(ADMIN_SCOPE) || caller.readNamespaces.includes('*');
  return {
    namespaces: all ? undefined : caller.readNamespaces,
    types: [...new Set(types.map((type) => type.toLowerCase()))],
    since,
  };
}

/** A file that was found. */
const told = (row: ResultRow, score: number | null) => ({
  path: row.path,
  type: row.type,
  size: row.size,
  modified_at: isoSeconds(row.modified_at),
  snippet: row.snippet,
  // Written by `fileFacts`.
  tags: JSON.parse(row.tags) as string[],
  importance: row.importance,
  score,
});
