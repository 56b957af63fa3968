import type { ExecutionStatus, MessageState } from '@parley/protocol/delivery/vocabulary';
import { type NotNull, sql as raw } from 'kysely';
import { given } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import { oneOf, sql } from '../../platform/database/sql.ts';
import { alertTable } from '../alerts/alert-store.ts';
import { executionTable } from '../records/execution-row.ts';
import { type MessageRow, messageTable } from '../records/message-row.ts';

// States are written out, so that the indexes of such rows alone are seen to fit.
const FAILED = raw.lit<MessageState>('failed');
const DELIVERING = raw.lit<ExecutionStatus>('delivering');
const WRONG = raw.raw(oneOf(['failed', 'missed', 'outcome_timeout'] satisfies ExecutionStatus[]).text);

/** Neither run again with more success nor sent again. */
const STILL_FAILED = raw<boolean>`
  (SELECT e.status FROM executions e WHERE e.id = messages.execution_id) IN ${WRONG}
    AND NOT EXISTS (SELECT 1 FROM messages again WHERE again.thread_id = messages.thread_id
      AND again.reply_to = messages.id AND again.sender_owner = messages.sender_owner)`;

/**
 * What was run again and goes or went well needs nobody any more, and neither does what was sent again. Of an owner: what it got,
 * and what it sent to others, each from the end of an index.
 */
export async function failedMessages(
  reader: Reader,
  ownerId: string | undefined,
  since: number,
  most: number,
) {
  const failed = () =>
    messageTable
      .from(reader)
      .select([
        'id',
        'recipient',
        'recipient_owner',
        'sender_owner',
        'execution_id',
        'dispatch_error',
        'failed_at',
      ])
      .where('state', '=', FAILED)
      .where('failed_at', '>', since)
      .where(STILL_FAILED)
      .orderBy('failed_at', 'desc')
      .limit(most)
      .$narrowType<{ failed_at: NotNull }>();
  if (ownerId === undefined) return await failed().execute();
  const [got, sent] = await Promise.all([
    failed().where('recipient_owner', '=', ownerId).execute(),
    failed().where('sender_owner', '=', ownerId).whereRef('sender_owner', '<>', 'recipient_owner').execute(),
  ]);
  return [...got, ...sent].toSorted((a, b) => b.failed_at - a.failed_at).slice(0, most);
}

export const wrongExecutions = (reader: Reader, ownerId: string | undefined, since: number, most: number) =>
  executionTable
    .from(reader)
    .select(['id', 'owner_id', 'cue_id', 'agent', 'status', 'error_message', 'updated_at'])
    .where('source', '=', raw.lit('cue'))
    .where(raw<boolean>`status IN ${WRONG}`)
    .where('updated_at', '>', since)
    .where((is) => is.and(given({ owner_id: ownerId })))
    .where(
      raw<boolean>`NOT EXISTS (SELECT 1 FROM executions again WHERE again.replayed_from = executions.id)`,
    )
    .orderBy('updated_at', 'desc')
    .limit(most)
    .execute();

export const lapsedLeases = (reader: Reader, ownerId: string | undefined, now: number, most: number) =>
  executionTable
    .from(reader)
    .select(['id', 'owner_id', 'agent', 'claimed_by', 'lease_expires_at'])
    .where('lease_expires_at', '<', now)
    .where('status', '=', DELIVERING)
    .where((is) => is.and(given({ owner_id: ownerId })))
    .orderBy('lease_expires_at', 'desc')
    .limit(most)
    .$narrowType<{ lease_expires_at: NotNull }>()
    .execute();

export interface TrippedThread
  extends Pick<MessageRow, 'id' | 'recipient' | 'recipient_owner' | 'sender_owner'> {
  readonly tripped_at: number;
  readonly message_id: string;
}

/** With the last message of each. */
export async function trippedThreads(reader: Reader, ownerId: string | undefined, most: number) {
  const owner = ownerId ?? null;
  return await reader.all<TrippedThread>(sql`
    SELECT t.id, t.tripped_at, m.id AS message_id, m.recipient, m.recipient_owner, m.sender_owner
    FROM message_threads t JOIN messages m ON m.id = (
      SELECT id FROM messages WHERE thread_id = t.id ORDER BY created_at DESC, id DESC LIMIT 1)
    WHERE t.tripped_at IS NOT NULL
      AND (CAST(${owner} AS text) IS NULL OR m.recipient_owner = ${owner} OR m.sender_owner = ${owner})
    ORDER BY t.tripped_at DESC LIMIT ${most}`);
}

export const openAlerts = (reader: Reader, ownerId: string | undefined, since: number, most: number) =>
  alertTable
    .from(reader)
    .select(['id', 'owner_id', 'cue_id', 'execution_id', 'alert_type', 'severity', 'message', 'created_at'])
    .where('created_at', '>', since)
    .where('acknowledged', '=', raw.lit(0))
    .where((is) => is.and(given({ owner_id: ownerId })))
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();

/** Agents with a session, and those heard of last: by suffix. */
export async function agentsAwake(
  reader: Reader,
  ownerId: string | undefined,
  most: number,
): Promise<string[]> {
  const [attached, seen] =
    ownerId === undefined
      ? await Promise.all([
          reader.values<string>(sql`
            SELECT agent FROM live_sessions WHERE detached_at IS NULL ORDER BY attached_at DESC LIMIT ${most}`),
          reader.values<string>(sql`
            SELECT agent FROM agent_delivery WHERE deleted_at IS NULL AND last_seen_at IS NOT NULL
            ORDER BY last_seen_at DESC LIMIT ${most}`),
        ])
      : await Promise.all([
          reader.values<string>(sql`
            SELECT agent FROM live_sessions WHERE owner_id = ${ownerId} AND detached_at IS NULL LIMIT ${most}`),
          reader.values<string>(sql`
            SELECT agent FROM agent_delivery WHERE owner_id = ${ownerId} AND deleted_at IS NULL
            ORDER BY created_at DESC LIMIT ${most}`),
        ]);
  return [...new Set([...attached, ...seen])].slice(0, most);
}
