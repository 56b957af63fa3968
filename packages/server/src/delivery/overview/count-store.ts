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

/** Whose, since when, and the length of a stretch. Everybody's, when no owner is named. */
export interface CountAsk {
  readonly ownerId: string | undefined;
  readonly since: number;
  readonly step: number;
}

/** How many by stretch of time: what was sent, what failed, what cues fired. Each from an index alone. */
export const messageCounts = async (reader: Reader, ask: CountAsk): Promise<Counted[]> =>
  // Every state there is: the index begins with it.
  await ofMessages(reader, 'created_at', ask).where('state', 'in', MESSAGE_STATES).execute();

export const failureCounts = async (reader: Reader, ask: CountAsk): Promise<Counted[]> =>
  // Written out, so that the indexes of failed ones alone are seen to fit.
  await ofMessages(reader, 'failed_at', ask).where('state', '=', raw.lit<MessageState>('failed')).execute();

function ofMessages(reader: Reader, column: 'created_at' | 'failed_at', { ownerId, since, step }: CountAsk) {
  const query = reader
    .kysely<Tables>()
    .selectFrom('messages')
    .select((each) => [bucket(column, since, step), each.fn.countAll<number>().as('n')])
    .where(column, '>=', since)
    .groupBy(raw.lit(1));
  return ownerId === undefined ? query : query.where('recipient_owner', '=', ownerId);
}

export async function fireCounts(reader: Reader, { ownerId, since, step }: CountAsk): Promise<Counted[]> {
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
