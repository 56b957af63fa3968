import type { AlertType, ExecutionStatus, MessageState } from '@parley/protocol/delivery/vocabulary';
import type { Reader } from '../../platform/database/database.ts';
import { type Fixed, oneOf, sql, word } from '../../platform/database/sql.ts';
import { headed } from '../../platform/database/table.ts';

export interface FailedMessage {
  readonly id: string;
  readonly recipient: string;
  readonly recipient_owner: string;
  readonly sender_owner: string;
  readonly execution_id: string;
  readonly dispatch_error: string | null;
  readonly failed_at: number;
}

const FAILED = word('failed' satisfies MessageState);
const DELIVERING = word('delivering' satisfies ExecutionStatus);
const WRONG = oneOf(['failed', 'missed', 'outcome_timeout'] satisfies ExecutionStatus[]);

/** Neither run again with more success nor sent again. */
const STILL_FAILED: Fixed = {
  text: `(SELECT e.status FROM executions e WHERE e.id = m.execution_id) IN ${WRONG.text}
    AND NOT EXISTS (SELECT 1 FROM messages again
      WHERE again.thread_id = m.thread_id AND again.reply_to = m.id AND again.sender_owner = m.sender_owner)`,
};

const selectFailed = headed(`
  SELECT m.id, m.recipient, m.recipient_owner, m.sender_owner, m.execution_id, m.dispatch_error, m.failed_at FROM messages m`);

/**
 * What was run again and goes or went well needs nobody any more, and neither does what was sent again. Of an owner: what it got,
 * and what it sent to others, each from the end of an index.
 */
export async function failedMessages(
  reader: Reader,
  ownerId: string | undefined,
  since: number,
  most: number,
): Promise<FailedMessage[]> {
  if (ownerId === undefined)
    return await reader.all<FailedMessage>(selectFailed`
      WHERE m.state = ${FAILED} AND m.failed_at > ${since}
        AND ${STILL_FAILED}
      ORDER BY m.failed_at DESC LIMIT ${most}`);
  const [got, sent] = await Promise.all([
    reader.all<FailedMessage>(selectFailed`
      WHERE m.state = ${FAILED} AND m.recipient_owner = ${ownerId} AND m.failed_at > ${since}
        AND ${STILL_FAILED}
      ORDER BY m.failed_at DESC LIMIT ${most}`),
    reader.all<FailedMessage>(selectFailed`
      WHERE m.state = ${FAILED} AND m.sender_owner = ${ownerId} AND m.sender_owner <> m.recipient_owner
        AND m.failed_at > ${since}
        AND ${STILL_FAILED}
      ORDER BY m.failed_at DESC LIMIT ${most}`),
  ]);
  return [...got, ...sent].toSorted((a, b) => b.failed_at - a.failed_at).slice(0, most);
}

export interface WrongExecution {
  readonly id: string;
  readonly owner_id: string;
  readonly cue_id: string;
  readonly agent: string | null;
  readonly status: string;
  readonly error_message: string | null;
  readonly updated_at: number;
}

const selectWrong = headed(`
  SELECT id, owner_id, cue_id, agent, status, error_message, updated_at FROM executions e`);

export async function wrongExecutions(
  reader: Reader,
  ownerId: string | undefined,
  since: number,
  most: number,
): Promise<WrongExecution[]> {
  return ownerId === undefined
    ? await reader.all<WrongExecution>(selectWrong`
        WHERE source = 'cue' AND status IN ${WRONG} AND updated_at > ${since}
          AND NOT EXISTS (SELECT 1 FROM executions again WHERE again.replayed_from = e.id)
        ORDER BY updated_at DESC LIMIT ${most}`)
    : await reader.all<WrongExecution>(selectWrong`
        WHERE source = 'cue' AND status IN ${WRONG} AND updated_at > ${since}
          AND owner_id = ${ownerId} AND NOT EXISTS (SELECT 1 FROM executions again WHERE again.replayed_from = e.id)
        ORDER BY updated_at DESC LIMIT ${most}`);
}

export interface LapsedLease {
  readonly id: string;
  readonly owner_id: string;
  readonly agent: string | null;
  readonly claimed_by: string | null;
  readonly lease_expires_at: number;
}

export async function lapsedLeases(
  reader: Reader,
  ownerId: string | undefined,
  now: number,
  most: number,
): Promise<LapsedLease[]> {
  const owner = ownerId ?? null;
  return await reader.all<LapsedLease>(sql`
    SELECT id, owner_id, agent, claimed_by, lease_expires_at FROM executions
    WHERE lease_expires_at IS NOT NULL AND lease_expires_at < ${now} AND status = ${DELIVERING}
      AND (CAST(${owner} AS text) IS NULL OR owner_id = ${owner})
    ORDER BY lease_expires_at DESC LIMIT ${most}`);
}

export interface TrippedThread {
  readonly id: string;
  readonly tripped_at: number;
  readonly recipient: string;
  readonly recipient_owner: string;
  readonly sender_owner: string;
  readonly message_id: string;
}

/** With the last message of each. */
export async function trippedThreads(
  reader: Reader,
  ownerId: string | undefined,
  most: number,
): Promise<TrippedThread[]> {
  const owner = ownerId ?? null;
  return await reader.all<TrippedThread>(sql`
    SELECT t.id, t.tripped_at, m.id AS message_id, m.recipient, m.recipient_owner, m.sender_owner
    FROM message_threads t JOIN messages m ON m.id = (
      SELECT id FROM messages WHERE thread_id = t.id ORDER BY created_at DESC, id DESC LIMIT 1)
    WHERE t.tripped_at IS NOT NULL
      AND (CAST(${owner} AS text) IS NULL OR m.recipient_owner = ${owner} OR m.sender_owner = ${owner})
    ORDER BY t.tripped_at DESC LIMIT ${most}`);
}

export interface OpenAlert {
  readonly id: string;
  readonly owner_id: string;
  readonly cue_id: string;
  readonly execution_id: string | null;
  readonly alert_type: AlertType;
  readonly severity: string;
  readonly message: string;
  readonly created_at: number;
}

const selectAlerts = headed(`
  SELECT id, owner_id, cue_id, execution_id, alert_type, severity, message, created_at FROM alerts`);

export async function openAlerts(
  reader: Reader,
  ownerId: string | undefined,
  since: number,
  most: number,
): Promise<OpenAlert[]> {
  return ownerId === undefined
    ? await reader.all<OpenAlert>(selectAlerts`
        WHERE created_at > ${since} AND acknowledged = 0 ORDER BY created_at DESC LIMIT ${most}`)
    : await reader.all<OpenAlert>(selectAlerts`
        WHERE owner_id = ${ownerId} AND created_at > ${since} AND acknowledged = 0
        ORDER BY created_at DESC LIMIT ${most}`);
}

/** Agents with a session, and those heard of last: by suffix. */
export async function agentsAwake(
  reader: Reader,
  ownerId: string | undefined,
  most: number,
): Promise<string[]> {
  const [attached, seen] =
    ownerId === undefined
      ? await Promise.all([
          reader.all<{ agent: string }>(sql`
            SELECT agent FROM live_sessions WHERE detached_at IS NULL ORDER BY attached_at DESC LIMIT ${most}`),
          reader.all<{ agent: string }>(sql`
            SELECT agent FROM agent_delivery WHERE deleted_at IS NULL AND last_seen_at IS NOT NULL
            ORDER BY last_seen_at DESC LIMIT ${most}`),
        ])
      : await Promise.all([
          reader.all<{ agent: string }>(sql`
            SELECT agent FROM live_sessions WHERE owner_id = ${ownerId} AND detached_at IS NULL LIMIT ${most}`),
          reader.all<{ agent: string }>(sql`
            SELECT agent FROM agent_delivery WHERE owner_id = ${ownerId} AND deleted_at IS NULL
            ORDER BY created_at DESC LIMIT ${most}`),
        ]);
  return [...new Set([...attached, ...seen].map(({ agent }) => agent))].slice(0, most);
}
