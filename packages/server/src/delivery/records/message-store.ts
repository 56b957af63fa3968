import { sql as raw } from 'kysely';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { CUE } from './execution-states.ts';
import { type MessageRow, messageTable, type MessageView, selectViews } from './message-row.ts';
import { OVER_STATES, statesTaking } from './message-states.ts';

/** Everything that may change by the way. The state does so by events only. */
export type MessagePatch = Partial<
  Pick<
    MessageRow,
    | 'execution_id'
    | 'proven_stage'
    | 'dispatch_error'
    | 'warning'
    | 'queued_at'
    | 'delivered_at'
    | 'invoked_at'
    | 'invoked_by'
    | 'read_at'
    | 'acked_at'
    | 'failed_at'
    | 'updated_at'
  >
>;

export async function insertMessage(tx: Tx, message: MessageRow): Promise<void> {
  await tx.run(messageTable.insert(message));
}

/** Only for who sent or got it. */
export function readMessage(reader: Reader, ownerId: string, id: string): Promise<MessageView | undefined> {
  return reader.get<MessageView>(
    selectViews`WHERE m.id = ${id} AND (m.sender_owner = ${ownerId} OR m.recipient_owner = ${ownerId})`,
  );
}

/** For the server's own work, and only after the owner was checked. */
export async function messagesById(reader: Reader, ids: readonly string[]): Promise<Map<string, MessageRow>> {
  const rows = await messageTable.among(reader, 'id', ids);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Reads a message that is about to change. Nobody else changes it until the commit. Where an execution changes with it,
 * the message is always locked first, so that two writers never wait for each other.
 */
export function lockMessage(tx: Tx, id: string): Promise<MessageRow | undefined> {
  return tx.get<MessageRow>(messageTable.lock(tx, 'UPDATE')`WHERE id = ${id}`);
}

export async function patchMessage(
  tx: Tx,
  id: string,
  patch: MessagePatch & Partial<Pick<MessageRow, 'state'>>,
): Promise<void> {
  await tx.run(messageTable.update(patch)`WHERE id = ${id}`);
}

/** Returns how many executions went with it. The run of a cue is the cue's, and stays. */
export async function deleteMessage(tx: Tx, id: string): Promise<number> {
  await tx.run(sql`UPDATE executions SET message_id = NULL WHERE message_id = ${id} AND source = ${CUE}`);
  await tx.run(sql`
    DELETE FROM execution_outcomes WHERE execution_id IN (SELECT id FROM executions WHERE message_id = ${id})`);
  await tx.run(sql`
    DELETE FROM delivery_attempts WHERE execution_id IN (SELECT id FROM executions WHERE message_id = ${id})`);
  const executions = await tx.run(sql`DELETE FROM executions WHERE message_id = ${id}`);
  await tx.run(sql`DELETE FROM message_threads WHERE id = ${id}`);
  await tx.run(sql`DELETE FROM messages WHERE id = ${id}`);
  return executions;
}

/** What nobody works on, past its time. */
export async function expiredMessages(reader: Reader, now: number, limit: number): Promise<string[]> {
  const rows = await messageTable
    .from(reader)
    .select('id')
    .where('expires_at', '<', now)
    // Word for word the condition of the index: bound values could not be matched with it.
    .where(raw<boolean>`state NOT IN ${raw.raw(OVER_STATES.text)}`)
    .where('state', 'in', statesTaking('expired'))
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export function messagesOverSince(reader: Reader, before: number, limit: number): Promise<string[]> {
  return reader.values<string>(sql`
    SELECT id FROM messages
    WHERE state IN ${OVER_STATES} AND updated_at <= ${before} ORDER BY updated_at LIMIT ${limit}`);
}
