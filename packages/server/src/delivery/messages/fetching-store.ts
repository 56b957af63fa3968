import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import { sql as raw } from 'kysely';
import type { Dialect, Tx } from '../../platform/database/database.ts';
import type { MessageView } from '../records/message-row.ts';
import type { RecordTables } from '../records/record-tables.ts';

export type FetchedRow = Pick<
  MessageView,
  'id' | 'sender' | 'recipient' | 'state' | 'queued_at' | 'execution_id' | 'channel'
>;

/** Nobody else changes them until the commit. In one order for all, so that two polls do not wait for each other. */
export async function lockPage(tx: Tx, dialect: Dialect, ids: readonly string[]): Promise<FetchedRow[]> {
  const query = tx
    .kysely<RecordTables>()
    .selectFrom('messages')
    .innerJoin('executions', 'executions.id', 'messages.execution_id')
    .select([
      'messages.id',
      'messages.sender',
      'messages.recipient',
      'messages.state',
      'messages.queued_at',
      'messages.execution_id',
      'executions.channel',
    ])
    .where('messages.id', 'in', ids)
    .orderBy('messages.id');
  return await (dialect === 'postgres' ? query.forUpdate('messages') : query).execute();
}

/** What was delivered before stays so: the first time counts. */
export async function markDelivered(
  tx: Tx,
  ids: readonly string[],
  { state, now }: { state: MessageState; now: number },
): Promise<void> {
  await tx
    .kysely<RecordTables>()
    .updateTable('messages')
    .set((column) => ({
      state,
      delivered_at: column.fn.coalesce('delivered_at', raw.val(now)),
      updated_at: now,
    }))
    .where('id', 'in', ids)
    .execute();
}
