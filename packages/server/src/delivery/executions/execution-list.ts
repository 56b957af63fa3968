import type { ExecutionListQuery } from '@parley/protocol/delivery/types';
import { EXECUTION_STATUSES, type ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { countExecutions, type ExecutionFilter, executionPage, oldestClaim } from './execution-list-store.ts';

/** Executions as their owner looks through them. With `only`, what is another agent's is left out. */
export async function listExecutions(
  context: MessagingContext,
  ownerId: string,
  query: ExecutionListQuery,
  only?: string,
) {
  const { database, directory } = context;
  const statuses = statusesOf(query);
  const agent =
    query.agent === undefined ? undefined : await directory.resolveOwnOrDeleted(ownerId, query.agent);
  const filter: ExecutionFilter = { ...query, statuses, agentSuffix: agent?.suffix, only };
  const [executions, total, oldestClaimedAt] = await Promise.all([
    executionPage(database.read, ownerId, filter),
    totalOf(context, ownerId, filter),
    oldestClaim(database.read, ownerId),
  ]);
  return { executions, total, oldestClaimedAt };
}

/** The usual question is answered by what is counted anyway. */
async function totalOf(context: MessagingContext, ownerId: string, filter: ExecutionFilter): Promise<number> {
  const { database, tallies } = context;
  const { limit: _limit, offset: _offset, ...conditions } = filter;
  const plain = Object.values(conditions).every((condition) => condition === undefined);
  return plain
    ? await tallies.executions(database.read, ownerId)
    : await countExecutions(database.read, ownerId, filter);
}

const isStatus = (word: string): word is ExecutionStatus =>
  EXECUTION_STATUSES.some((status) => status === word);

function statusesOf({
  status,
  status__in: many,
}: ExecutionListQuery): readonly ExecutionStatus[] | undefined {
  if (status !== undefined && many !== undefined) {
    throw new DeliveryError('conflicting_filters', 'give status or status__in, not both');
  }
  if (status !== undefined) {
    if (!isStatus(status)) throw new DeliveryError('invalid_status', oneOf('status'));
    return [status];
  }
  if (many === undefined) return undefined;
  const words = many
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const known = words.filter(isStatus);
  if (known.length === 0 || known.length !== words.length) {
    throw new DeliveryError('invalid_status_in', oneOf('status__in'));
  }
  return known;
}

const oneOf = (field: string): string => `${field} may hold ${EXECUTION_STATUSES.join(', ')}`;
