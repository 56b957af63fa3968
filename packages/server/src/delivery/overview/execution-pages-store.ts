import {
  EXECUTION_SOURCES,
  EXECUTION_STATUSES,
  type ExecutionSource,
  type ExecutionStatus,
  type OutcomeState,
  type Trigger,
} from '@parley/protocol/delivery/vocabulary';
import type { Kysely } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { before, type Place } from './place.ts';

export interface ListedExecution {
  readonly id: string;
  readonly owner_id: string;
  readonly source: ExecutionSource;
  readonly cue_id: string;
  readonly message_id: string | null;
  readonly agent: string | null;
  readonly task: string | null;
  readonly status: ExecutionStatus;
  readonly outcome_state: OutcomeState | null;
  readonly triggered_by: Trigger;
  readonly attempts: number;
  readonly claimed_by: string | null;
  readonly lease_expires_at: number | null;
  readonly error_message: string | null;
  readonly scheduled_for: number;
  readonly created_at: number;
  readonly updated_at: number;
}

interface Tables {
  executions: ListedExecution;
}

const EXECUTION = [
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
] as const;

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
  const kysely = reader.kysely<Tables>();
  const { ownerId } = ask;
  const [first, ...others] = stretches(kysely, ask).map((each) =>
    // A part of a union that has an order of its own has to be a table for both databases.
    kysely.selectFrom(each.as('part')).selectAll(),
  );
  if (!first) return [];
  const page = kysely
    .selectFrom(others.reduce((all, next) => all.unionAll(next), first).as('parts'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(ask.limit);
  let query = kysely
    .selectFrom(page.as('page'))
    .innerJoin('executions as e', 'e.id', 'page.id')
    .select(EXECUTION.map((name) => `e.${name}` as const))
    .orderBy('page.created_at', 'desc')
    .orderBy('page.id', 'desc');
  // An agent and a cue are of one owner: whose they are not finds nothing.
  if (ownerId !== undefined) query = query.where('e.owner_id', '=', ownerId);
  return await query.execute();
}

function stretches(
  kysely: Kysely<Tables>,
  { ownerId, id, agent, cue, status, source, after, limit }: ExecutionAsk,
) {
  const page = () => {
    const query = kysely
      .selectFrom('executions')
      .select(['id', 'created_at'])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
    return after ? query.where(before('created_at', 'id', after)) : query;
  };
  if (id !== undefined) return [page().where('id', '=', id)];
  if (agent !== undefined || cue !== undefined) {
    let query = page();
    if (agent !== undefined) query = query.where('agent', '=', agent);
    if (cue !== undefined) query = query.where('cue_id', '=', cue);
    if (status !== undefined) query = query.where('status', '=', status);
    if (source !== undefined) query = query.where('source', '=', source);
    return [query];
  }
  return (source === undefined ? EXECUTION_SOURCES : [source]).flatMap((kind) =>
    (status === undefined ? EXECUTION_STATUSES : [status]).map((each) => {
      const query = page().where('source', '=', kind).where('status', '=', each);
      return ownerId === undefined ? query : query.where('owner_id', '=', ownerId);
    }),
  );
}
