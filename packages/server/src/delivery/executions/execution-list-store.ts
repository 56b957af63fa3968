import type { ExecutionListQuery } from '@parley/protocol/delivery/types';
import type { ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import { countOf, given } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import { notOfOthers } from './claimable-store.ts';
import { sql, word } from '../../platform/database/sql.ts';
import { type ExecutionRow, executionTable } from '../records/execution-row.ts';
import { newestExecutions, stretchesOf } from '../records/newest-executions.ts';

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
  const parts = stretches(filter).map((part) => matching(reader, ownerId, part));
  return (await newestExecutions(reader, parts, filter)?.selectAll('e').execute()) ?? [];
}

/** What is of one agent, cue or message has an index of its own. */
function stretches(filter: ExecutionFilter): readonly ExecutionFilter[] {
  const { agentSuffix, cue_id: cue, message_id: message, source, statuses } = filter;
  if (agentSuffix !== undefined || cue !== undefined || message !== undefined) return [filter];
  return stretchesOf(source, statuses && [...new Set(statuses)]).map(({ status, ...of }) => ({
    ...filter,
    ...of,
    statuses: [status],
  }));
}

export async function countExecutions(
  reader: Reader,
  ownerId: string,
  filter: ExecutionFilter,
): Promise<number> {
  return await countOf(matching(reader, ownerId, filter));
}

/** Of everything that somebody works on now. */
export async function oldestClaim(reader: Reader, ownerId: string): Promise<number | null> {
  const oldest = await reader.value<number>(sql`
    SELECT min(claimed_at) AS oldest FROM executions WHERE owner_id = ${ownerId} AND status = ${DELIVERING}`);
  return oldest ?? null;
}

function matching(reader: Reader, ownerId: string, filter: ExecutionFilter) {
  const { statuses, only, has_evidence: evidence } = filter;
  const asked = {
    owner_id: ownerId,
    agent: filter.agentSuffix,
    cue_id: filter.cue_id,
    message_id: filter.message_id,
    source: filter.source,
    claimed_by: filter.worker_id,
    outcome_state: filter.outcome_state,
    triggered_by: filter.triggered_by,
    result_type: filter.result_type,
    route: filter.delivery_route,
    has_evidence: evidence === undefined ? undefined : Number(evidence),
  };
  let query = executionTable
    .from(reader)
    .where((is) => is.and(given(asked)))
    .where((is) => is.or([is('channel', 'is not', null), is('sender_owner', '=', ownerId)]));
  if (statuses !== undefined) query = query.where('status', 'in', [...statuses]);
  return only === undefined ? query : query.where(notOfOthers(only));
}
