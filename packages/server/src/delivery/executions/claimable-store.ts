import type { ClaimableQuery } from '@parley/protocol/delivery/types';
import { sql as raw } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { type ExecutionRow, executionTable } from '../records/execution-row.ts';
import { CLAIMABLE } from '../records/execution-states.ts';

/** The agent by suffix. */
export interface ClaimableFilter extends Omit<ClaimableQuery, 'wait'> {
  /** The agent whose work is listed beside that of nobody. */
  readonly only: string | undefined;
}

/**
 * What has a channel was due when it got one, whatever the clock says now. The oldest first. Filters come before the cut, or a worker with one task would starve behind the others. A live offer is
 * shown only to who asks for its session's task, or for live ones.
 */
export async function listClaimable(
  reader: Reader,
  ownerId: string,
  { task, agent, only, mode, limit }: ClaimableFilter,
): Promise<ExecutionRow[]> {
  let query = executionTable
    .from(reader)
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where(CLAIMABLE_NOW)
    .where('held', '=', 0);
  if (task !== undefined) query = query.where('task', '=', task);
  if (agent !== undefined) query = query.where(concerns(agent));
  if (only !== undefined) query = query.where(notOfOthers(only));
  if (mode !== undefined) query = query.where('channel', '=', mode);
  else if (task === undefined) query = query.where('channel', '=', 'bg');
  return await query.orderBy('scheduled_for').orderBy('id').limit(limit).execute();
}

/** Word for word the condition of the indexes: bound values could not be matched with it. */
const CLAIMABLE_NOW = raw<boolean>`status IN ${raw.raw(CLAIMABLE.text)} AND channel IN ('live', 'bg')`;

/** The agent it goes to, or the one it was meant for when its parent takes it. */
const concerns = (
  agent: string,
) => raw<boolean>`(agent = ${agent} OR target = ${agent} OR (via_parent = 1 AND EXISTS (
  SELECT 1 FROM messages WHERE messages.id = executions.message_id AND messages.recipient = ${agent})))`;

export const notOfOthers = (agent: string) => raw<boolean>`(agent IS NULL OR ${concerns(agent)})`;
