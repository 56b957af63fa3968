import { EXECUTION_STATUSES, MESSAGE_STATES, type MessageState } from '@parley/protocol/delivery/vocabulary';
import { sql as raw } from 'kysely';
import { type CountAsk, type Counted, countsSince, given } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import { executionTable } from '../records/execution-row.ts';
import { messageTable } from '../records/message-row.ts';

/** How many by stretch of time: what was sent, what failed, what cues fired. Each from an index alone. */
export const messageCounts = (reader: Reader, ask: CountAsk): Promise<Counted[]> =>
  // Every state there is: the index begins with it.
  countsSince(messagesOf(reader, ask).where('state', 'in', MESSAGE_STATES), 'created_at', ask);

export const failureCounts = (reader: Reader, ask: CountAsk): Promise<Counted[]> =>
  // Written out, so that the indexes of failed ones alone are seen to fit.
  countsSince(messagesOf(reader, ask).where('state', '=', raw.lit<MessageState>('failed')), 'failed_at', ask);

const messagesOf = (reader: Reader, { ownerId }: CountAsk) =>
  messageTable.from(reader).where((is) => is.and(given({ recipient_owner: ownerId })));

export function fireCounts(reader: Reader, ask: CountAsk): Promise<Counted[]> {
  const fires = executionTable
    .from(reader)
    .where((is) => is.and(given({ owner_id: ask.ownerId, source: 'cue' as const })))
    .where('status', 'in', EXECUTION_STATUSES);
  return countsSince(fires, 'created_at', ask);
}
