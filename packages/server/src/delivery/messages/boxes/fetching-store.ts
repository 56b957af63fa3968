import type { MessageState, ProvenStage } from '@parley/protocol/delivery/vocabulary';
import { sql as raw } from 'kysely';
import type { Tx } from '../../../platform/database/database.ts';
import { BEFORE_DELIVERED } from '../../records/proof.ts';
import type { RecordTables } from '../../records/record-tables.ts';

/** Nobody else changes them until the commit. In one order for all, so that two polls do not wait for each other. */
export async function lockPage(tx: Tx, ids: readonly string[]) {
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
      'messages.delivered_at',
      'messages.execution_id',
      'executions.source',
      'executions.channel',
      'executions.status',
      'executions.session_id',
    ])
    .where('messages.id', 'in', ids)
    .orderBy('messages.id');
  return await (tx.dialect === 'postgres' ? query.forUpdate('messages') : query).execute();
}

const before = raw.join(BEFORE_DELIVERED);
const DELIVERED = raw.lit('delivered' satisfies ProvenStage);

/**
 * The recipient was shown them; what was delivered before stays so: the first time counts. Without a state to move to a push goes
 * on, and what failed stays so.
 */
export async function markDelivered(
  tx: Tx,
  ids: readonly string[],
  now: number,
  state?: MessageState,
): Promise<void> {
  await tx
    .kysely<RecordTables>()
    .updateTable('messages')
    .set({
      delivered_at: raw<number>`COALESCE(delivered_at, ${now})`,
      proven_stage: raw<ProvenStage>`CASE WHEN proven_stage IN (${before}) THEN ${DELIVERED} ELSE proven_stage END`,
      ...(state && { state, updated_at: now }),
    })
    .where('id', 'in', ids)
    .execute();
}
