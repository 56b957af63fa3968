import type { ExecutionListQuery } from '@parley/protocol/delivery/types';
import { EXECUTION_STATUSES, type ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import type { Kysely } from 'kysely';
import type { Agents } from '../../identity/agents.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import { DeliveryError } from '../../delivery-shape/errors.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Tallies } from '../messages/tallies.ts';
import type { ExecutionRow } from './execution-row.ts';
import { type ExecutionTables, readExecution } from './execution-store.ts';

export interface ExecutionListOptions {
  database: Database;
  directory: Agents;
  tallies: Tallies;
}

export interface ExecutionPage {
  readonly executions: readonly ExecutionRow[];
  readonly total: number;
  /** Of everything that somebody works on now. */
  readonly oldestClaimedAt: number | null;
}

interface Filter extends ExecutionListQuery {
  readonly statuses: readonly ExecutionStatus[] | undefined;
  readonly agentSuffix: string | undefined;
}

/** Executions as their owner looks through them (delivery §17). */
export class ExecutionList {
  readonly #options: ExecutionListOptions;

  constructor(options: ExecutionListOptions) {
    this.#options = options;
  }

  async read(ownerId: string, id: string): Promise<ExecutionRow | undefined> {
    return await readExecution(this.#options.database.read, ownerId, id);
  }

  async list(ownerId: string, query: ExecutionListQuery): Promise<ExecutionPage> {
    const { database, directory } = this.#options;
    const statuses = statusesOf(query);
    const agent =
      query.agent === undefined ? undefined : await directory.resolveOwnOrDeleted(ownerId, query.agent);
    const filter: Filter = { ...query, statuses, agentSuffix: agent?.suffix };
    const [executions, total, oldestClaimedAt] = await Promise.all([
      page(database.read, ownerId, filter),
      this.#total(ownerId, filter),
      oldestClaim(database.read, ownerId),
    ]);
    return { executions, total, oldestClaimedAt };
  }

  /** The usual question is answered by what is counted anyway. */
  async #total(ownerId: string, filter: Filter): Promise<number> {
    const { database, tallies } = this.#options;
    const { limit: _limit, offset: _offset, ...conditions } = filter;
    const plain = Object.values(conditions).every((condition) => condition === undefined);
    return plain
      ? await tallies.executions(database.read, ownerId)
      : await count(database.read, ownerId, filter);
  }
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

async function page(reader: Reader, ownerId: string, filter: Filter): Promise<ExecutionRow[]> {
  return await matching(reader.kysely<ExecutionTables>(), ownerId, filter)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
}

async function count(reader: Reader, ownerId: string, filter: Filter): Promise<number> {
  const row = await matching(reader.kysely<ExecutionTables>(), ownerId, filter)
    .select((column) => column.fn.countAll<number>().as('total'))
    .executeTakeFirst();
  return row?.total ?? 0;
}

async function oldestClaim(reader: Reader, ownerId: string): Promise<number | null> {
  const row = await reader.get<{ oldest: number | null }>(sql`
    SELECT min(claimed_at) AS oldest FROM executions WHERE owner_id = ${ownerId} AND status = 'delivering'`);
  return row?.oldest ?? null;
}

function matching(kysely: Kysely<ExecutionTables>, ownerId: string, filter: Filter) {
  let query = kysely
    .selectFrom('executions')
    .where('owner_id', '=', ownerId)
    .where((either) => either.or([either('channel', 'is not', null), either('sender_owner', '=', ownerId)]));
  if (filter.statuses !== undefined) query = query.where('status', 'in', [...filter.statuses]);
  if (filter.agentSuffix !== undefined) query = query.where('agent', '=', filter.agentSuffix);
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
