import type { ExecutionListQuery } from '@parley/protocol/delivery/types';
import {
  EXECUTION_SOURCES,
  EXECUTION_STATUSES,
  type ExecutionStatus,
} from '@parley/protocol/delivery/vocabulary';
import type { Kysely } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { notOfOthers } from './claimable-store.ts';
import { sql, word } from '../../platform/database/sql.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import type { RecordTables } from '../records/record-tables.ts';

const DELIVERING = word('delivering' satisfies ExecutionStatus);

export interface ExecutionFilter extends ExecutionListQuery {
  readonly statuses: readonly ExecutionStatus[] | undefined;
  readonly agentSuffix: string | undefined;
  /** The agent whose executions are listed beside those of nobody. */
  readonly only: string | undefined;
}

/** The newest first: of as many stretches of an index as there are sources and statuses to look for. */
export async function executionPage(
  reader: Reader,
  ownerId: string,
  filter: ExecutionFilter,
): Promise<ExecutionRow[]> {
  const kysely = reader.kysely<RecordTables>();
  const { offset, limit } = filter;
  const [first, ...others] = stretches(filter).map((part) => {
    const query = matching(kysely, ownerId, part)
      .select(['id', 'created_at'])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(offset + limit);
    // A part of a union that has an order of its own has to be a table for both databases.
    return kysely.selectFrom(query.as('part')).selectAll();
  });
  if (!first) return [];
  const page = kysely
    .selectFrom(others.reduce((all, next) => all.unionAll(next), first).as('parts'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  return await kysely
    .selectFrom(page.as('page'))
    .innerJoin('executions as e', 'e.id', 'page.id')
    .selectAll('e')
    .orderBy('page.created_at', 'desc')
    .orderBy('page.id', 'desc')
    .execute();
}

/** What is of one agent, cue or message has an index of its own. */
function stretches(filter: ExecutionFilter): readonly ExecutionFilter[] {
  const { agentSuffix, cue_id: cue, message_id: message, source, statuses } = filter;
  if (agentSuffix !== undefined || cue !== undefined || message !== undefined) return [filter];
  return (source === undefined ? EXECUTION_SOURCES : [source]).flatMap((each) =>
    [...new Set(statuses ?? EXECUTION_STATUSES)].map((status) => ({
      ...filter,
      source: each,
      statuses: [status],
    })),
  );
}

export async function countExecutions(
  reader: Reader,
  ownerId: string,
  filter: ExecutionFilter,
): Promise<number> {
  const row = await matching(reader.kysely<RecordTables>(), ownerId, filter)
    .select((column) => column.fn.countAll<number>().as('total'))
    .executeTakeFirst();
  return row?.total ?? 0;
}

/** Of everything that somebody works on now. */
export async function oldestClaim(reader: Reader, ownerId: string): Promise<number | null> {
  const row = await reader.get<{ oldest: number | null }>(sql`
    SELECT min(claimed_at) AS oldest FROM executions WHERE owner_id = ${ownerId} AND status = ${DELIVERING}`);
  return row?.oldest ?? null;
}

function matching(kysely: Kysely<RecordTables>, ownerId: string, filter: ExecutionFilter) {
  let query = kysely
    .selectFrom('executions')
    .where('owner_id', '=', ownerId)
    .where((either) => either.or([either('channel', 'is not', null), either('sender_owner', '=', ownerId)]));
  if (filter.statuses !== undefined) query = query.where('status', 'in', [...filter.statuses]);
  if (filter.agentSuffix !== undefined) query = query.where('agent', '=', filter.agentSuffix);
  if (filter.only !== undefined) query = query.where(notOfOthers(filter.only));
  if (filter.cue_id !== undefined) query = query.where('cue_id', '=', filter.cue_id);
  if (filter.message_id !== undefined) query = query.where('message_id', '=', filter.message_id);
  if (filter.source !== undefined) query = query.where('source', '=', filter.source);
  if (filter.worker_id !== undefined) query = query.where('claimed_by', '=', filter.worker_id);
  if (filter.outcome_state !== undefined) query = query.where('outcome_state', '=', filter.outcome_state);
  if (filter.triggered_by !== undefined) query = query.where('triggered_by', '=', filter.triggered_by);
  if (filter.result_type !== undefined) query = query.where('result_type', '=', filter.result_type);
  if (filter.delivery_route !== undefined) query = query.where('route', '=', filter.delivery_route);
  if (filter.has_evidence !== undefined)
    query = query.where('has_evidence', '=', filter.has_evidence ? 1 : 0);
  return query;
}
