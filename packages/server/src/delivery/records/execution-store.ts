import type { ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import { sql as raw } from 'kysely';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { TraceStep } from '../routing/trace.ts';
import {
  type ExecutionPatch,
  type ExecutionRow,
  executionTable,
  type OutcomeRow,
  outcomeTable,
} from './execution-row.ts';
import type { RecordTables } from './record-tables.ts';
import { INBOX, LIVE, PENDING, UNDER_WAY } from './execution-states.ts';

export async function insertExecution(tx: Tx, execution: ExecutionRow): Promise<void> {
  await tx.run(executionTable.insert(execution));
}

/** False when there is one for the same time of the same cue already, or for the same link of a chain. */
export async function insertNewExecution(tx: Tx, execution: ExecutionRow): Promise<boolean> {
  return await tx.affects(executionTable.insertNew(execution));
}

/** For its owner, and for the owner of the sender of its message, who alone sees it before it is due. */
export function readExecution(
  reader: Reader,
  ownerId: string,
  id: string,
): Promise<ExecutionRow | undefined> {
  return reader.get<ExecutionRow>(executionTable.select`
    WHERE id = ${id} AND (sender_owner = ${ownerId} OR (owner_id = ${ownerId} AND channel IS NOT NULL))`);
}

/** For the server's own work, whoever owns it. */
export function executionById(reader: Reader, id: string): Promise<ExecutionRow | undefined> {
  return reader.get<ExecutionRow>(executionTable.select`WHERE id = ${id}`);
}

/** The message behind an execution of this owner; null when a cue is behind it, undefined when it is not theirs. */
export async function messageBehind(
  reader: Reader,
  ownerId: string,
  id: string,
): Promise<string | null | undefined> {
  const row = await reader.get<{ message_id: string | null }>(sql`
    SELECT message_id FROM executions
    WHERE id = ${id} AND owner_id = ${ownerId} AND (channel IS NOT NULL OR sender_owner = ${ownerId})`);
  return row?.message_id;
}

/** The agent whose sessions may attest it; null for a cue without one, undefined when it is not this owner's. */
export async function attestedFor(
  reader: Reader,
  ownerId: string,
  id: string,
): Promise<string | null | undefined> {
  const row = await reader.get<{ target: string | null }>(sql`
    SELECT COALESCE(m.recipient, e.target, e.agent) AS target FROM executions e LEFT JOIN messages m ON m.id = e.message_id
    WHERE e.id = ${id} AND e.owner_id = ${ownerId} AND (e.channel IS NOT NULL OR e.sender_owner = ${ownerId})`);
  return row?.target;
}

/** The same for the server's own work, whoever owns it. */
export async function messageBehindAny(reader: Reader, id: string): Promise<string | null | undefined> {
  const row = await reader.get<{ message_id: string | null }>(sql`
    SELECT message_id FROM executions WHERE id = ${id}`);
  return row?.message_id;
}

/** Nobody else changes it until the commit. Its message, if it has one, is locked before. */
export function lockExecution(tx: Tx, id: string): Promise<ExecutionRow | undefined> {
  return tx.get<ExecutionRow>(executionTable.lock(tx, 'UPDATE')`WHERE id = ${id}`);
}

export async function patchExecution(
  tx: Tx,
  id: string,
  patch: ExecutionPatch & Partial<Pick<ExecutionRow, 'status'>>,
): Promise<void> {
  await tx.run(executionTable.update(patch)`WHERE id = ${id}`);
}

/** Moves those of many that stand in one of the statuses, with one more line in the trace of each. */
export async function moveExecutions(
  tx: Tx,
  ids: readonly string[],
  from: readonly ExecutionStatus[],
  change: ExecutionPatch & Pick<ExecutionRow, 'status'>,
  step: TraceStep,
): Promise<void> {
  const line = `,${JSON.stringify(step)}]`;
  await tx
    .kysely<RecordTables>()
    .updateTable('executions')
    .set({
      ...change,
      // A trace is never empty: it begins with what was asked for.
      trace: raw<string>`substr(trace, 1, length(trace) - 1) || CAST(${line} AS text)`,
    })
    .where('id', 'in', ids)
    .where('status', 'in', from)
    .execute();
}

/** Offered to a session and not taken, or held for it, in the order they came. */
export function offersTo(reader: Reader, sessionId: string): Promise<ExecutionRow[]> {
  return reader.all<ExecutionRow>(executionTable.select`
    WHERE session_id = ${sessionId} AND status = ${PENDING} AND channel = ${LIVE}
    ORDER BY scheduled_for, id`);
}

/** Live offers that a session has not taken. */
export async function openOffers(reader: Reader, sessionId: string): Promise<string[]> {
  return await reader.values<string>(sql`
    SELECT id FROM executions WHERE session_id = ${sessionId} AND status = ${PENDING} AND channel = ${LIVE}
    ORDER BY id`);
}

/** Of an agent, waiting for a live session. */
export async function heldOffers(reader: Reader, agent: string): Promise<string[]> {
  return await reader.values<string>(sql`
    SELECT id FROM executions WHERE agent = ${agent} AND held = 1 AND channel <> ${INBOX}
      AND status IN ${UNDER_WAY}
    ORDER BY scheduled_for, id`);
}

/** Pushes that are not over: to an agent, and for it to the parent that takes them in its stead. */
export async function openPushes(reader: Reader, agent: string): Promise<string[]> {
  const own = await reader.values<string>(sql`
    SELECT id FROM executions WHERE agent = ${agent} AND channel <> ${INBOX}
      AND status IN ${UNDER_WAY}`);
  const byParent = await reader.values<string>(sql`
    SELECT e.id FROM executions e LEFT JOIN messages m ON m.execution_id = e.id
    WHERE e.agent = (SELECT parent FROM agent_delivery WHERE agent = ${agent}) AND e.channel <> ${INBOX}
      AND e.status IN ${UNDER_WAY}
      AND e.via_parent = 1 AND COALESCE(m.recipient, e.target) = ${agent}`);
  return [...own, ...byParent].toSorted();
}

/** False when there is one already. */
export async function insertOutcome(tx: Tx, outcome: OutcomeRow): Promise<boolean> {
  return await tx.affects(outcomeTable.insertNew(outcome));
}

export function readOutcome(reader: Reader, executionId: string): Promise<OutcomeRow | undefined> {
  return reader.get<OutcomeRow>(outcomeTable.select`WHERE execution_id = ${executionId}`);
}

export async function outcomesOf(reader: Reader, ids: readonly string[]): Promise<Map<string, OutcomeRow>> {
  const rows = await outcomeTable.among(reader, 'execution_id', ids);
  return new Map(rows.map((row) => [row.execution_id, row]));
}

export async function patchOutcome(
  tx: Tx,
  executionId: string,
  patch: Partial<Omit<OutcomeRow, 'execution_id'>>,
): Promise<void> {
  await tx.run(outcomeTable.update(patch)`WHERE execution_id = ${executionId}`);
}
