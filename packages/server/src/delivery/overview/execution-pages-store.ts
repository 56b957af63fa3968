import type { ExecutionSource, ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import { given } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { executionTable } from '../records/execution-row.ts';
import { newestExecutions, stretchesOf } from '../records/newest-executions.ts';
import { before, type Place } from './place.ts';

const listed = executionTable.pick(
  'id',
  'owner_id',
  'source',
  'cue_id',
  'message_id',
  'agent',
  'task',
  'status',
  'outcome_state',
  'triggered_by',
  'attempts',
  'claimed_by',
  'lease_expires_at',
  'error_message',
  'scheduled_for',
  'created_at',
  'updated_at',
);

export type ListedExecution = RowOf<typeof listed>;

export interface ExecutionAsk {
  readonly ownerId: string | undefined;
  /** That one alone. */
  readonly id: string | undefined;
  readonly agent: string | undefined;
  readonly cue: string | undefined;
  readonly status: ExecutionStatus | undefined;
  readonly source: ExecutionSource | undefined;
  readonly after: Place | undefined;
  readonly limit: number;
}

/** Newest first, of the beginnings of as many stretches of an index as there are sources and statuses to look for. */
export async function executionsLately(reader: Reader, ask: ExecutionAsk): Promise<ListedExecution[]> {
  const { ownerId, after, limit } = ask;
  const parts = stretches(ask).map((part) => {
    const query = executionTable.from(reader).where((is) => is.and(given(part)));
    return after ? query.where(before('created_at', 'id', after)) : query;
  });
  // An agent and a cue are of one owner: whose they are not finds nothing.
  return (
    (await newestExecutions(reader, parts, { limit })
      ?.select(listed.names.map((name) => `e.${name}` as const))
      .where((is) => is.and(given({ 'e.owner_id': ownerId })))
      .execute()) ?? []
  );
}

function stretches({ ownerId, id, agent, cue, status, source }: ExecutionAsk) {
  if (id !== undefined) return [{ id }];
  if (agent !== undefined || cue !== undefined) return [{ agent, cue_id: cue, status, source }];
  return stretchesOf(source, status && [status]).map((part) => ({ ...part, owner_id: ownerId }));
}
