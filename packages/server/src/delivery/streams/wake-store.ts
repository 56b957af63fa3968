import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import type { Reader } from '../../platform/database/database.ts';
import { word } from '../../platform/database/sql.ts';
import { type ExecutionRow, executionTable } from '../records/execution-row.ts';
import { type MessageView, selectViews } from '../records/message-row.ts';
import { CLAIMABLE, CUE } from '../records/execution-states.ts';

const QUEUED = word('queued' satisfies MessageState);

/** What waits for an agent, the oldest first. */
export function waitingMessages(reader: Reader, agent: string, limit: number): Promise<MessageView[]> {
  return reader.all<MessageView>(selectViews`
    WHERE m.recipient = ${agent} AND m.state = ${QUEUED} AND m.queued_at IS NOT NULL
    ORDER BY m.created_at, m.id LIMIT ${limit}`);
}

/** Those of them that came since a time, the oldest first; of many, the latest. */
export async function missedMessages(
  reader: Reader,
  agent: string,
  { since, limit }: { since: number; limit: number },
): Promise<MessageView[]> {
  const messages = await reader.all<MessageView>(selectViews`
    WHERE m.recipient = ${agent} AND m.state = ${QUEUED} AND m.queued_at >= ${since}
    ORDER BY m.created_at DESC, m.id DESC LIMIT ${limit}`);
  return messages.toReversed();
}

/** None when it is another agent's. */
export function messageTo(reader: Reader, agent: string, id: string): Promise<MessageView[]> {
  return reader.all<MessageView>(selectViews`
    WHERE m.id = ${id} AND m.recipient = ${agent}`);
}

/** Fires of cues that wait for an agent, the oldest first. */
export function waitingRuns(reader: Reader, agent: string, limit: number): Promise<ExecutionRow[]> {
  return reader.all<ExecutionRow>(executionTable.select`
    WHERE agent = ${agent} AND source = ${CUE} AND status IN ${CLAIMABLE} AND channel IS NOT NULL
    ORDER BY created_at, id LIMIT ${limit}`);
}

/** None when it is another agent's. */
export function runTo(reader: Reader, agent: string, id: string): Promise<ExecutionRow[]> {
  return reader.all<ExecutionRow>(executionTable.select`
    WHERE id = ${id} AND agent = ${agent} AND source = ${CUE}`);
}
