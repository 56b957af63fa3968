import {
  EXECUTION_STATUSES,
  type ExecutionSource,
  type ExecutionStatus,
  MESSAGE_STATES,
  type MessageState,
} from '@parley/protocol/delivery/vocabulary';
import { sql as raw } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';

interface Tables {
  messages: { state: MessageState; recipient_owner: string; created_at: number; failed_at: number | null };
  executions: { source: ExecutionSource; status: ExecutionStatus; owner_id: string; created_at: number };
}

export interface Counted {
  readonly bucket: number;
  readonly n: number;
}

const bucket = (column: string, since: number, step: number) =>
  raw<number>`CAST((${raw.ref(column)} - ${since}) / ${step} AS bigint)`.as('bucket');

/** How many by stretch of time: what was sent, what failed, what cues fired. Each from an index alone. */
export async function messageCounts(
  reader: Reader,
  ownerId: string | undefined,
  since: number,
  step: number,
): Promise<Counted[]> {
  // Every state there is: the index begins with it.
  const query = reader
    .kysely<Tables>()
    .selectFrom('messages')
    .select((each) => [bucket('created_at', since, step), each.fn.countAll<number>().as('n')])
    .where('created_at', '>=', since)
    .groupBy(raw.lit(1))
    .where('state', 'in', MESSAGE_STATES);
  return await (ownerId === undefined ? query : query.where('recipient_owner', '=', ownerId)).execute();
}

export async function failureCounts(
  reader: Reader,
  ownerId: string | undefined,
  since: number,
  step: number,
): Promise<Counted[]> {
  // Written out, so that the indexes of failed ones alone are seen to fit.
  const query = reader
    .kysely<Tables>()
    .selectFrom('messages')
    .select((each) => [bucket('failed_at', since, step), each.fn.countAll<number>().as('n')])
    .where('failed_at', '>=', since)
    .groupBy(raw.lit(1))
    .where('state', '=', raw.lit('failed'));
  return await (ownerId === undefined ? query : query.where('recipient_owner', '=', ownerId)).execute();
}

export async function fireCounts(
  reader: Reader,
  ownerId: string | undefined,
  since: number,
  step: number,
): Promise<Counted[]> {
  const query = reader
    .kysely<Tables>()
    .selectFrom('executions')
    .select((each) => [bucket('created_at', since, step), each.fn.countAll<number>().as('n')])
    .where('created_at', '>=', since)
    .groupBy(raw.lit(1))
    .where('source', '=', 'cue')
    .where('status', 'in', EXECUTION_STATUSES);
  return await (ownerId === undefined ? query : query.where('owner_id', '=', ownerId)).execute();
}
