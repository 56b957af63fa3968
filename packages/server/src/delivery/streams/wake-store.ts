import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { MessageRow, MessageView } from '../records/message-row.ts';

/** A message and the way it is on. */
export type WakingMessage = MessageRow & Pick<MessageView, 'channel' | 'route'>;

/** What waits for an agent, the oldest first. */
export function waitingMessages(reader: Reader, agent: string, limit: number): Promise<WakingMessage[]> {
  return reader.all<WakingMessage>(sql`
    SELECT m.*, e.channel, e.route FROM messages m JOIN executions e ON e.id = m.execution_id
    WHERE m.recipient = ${agent} AND m.state = 'queued' AND m.queued_at IS NOT NULL
    ORDER BY m.created_at, m.id LIMIT ${limit}`);
}

/** Those of them that came since a time, the oldest first; of many, the latest. */
export async function recentMessages(
  reader: Reader,
  agent: string,
  { since, limit }: { since: number; limit: number },
): Promise<WakingMessage[]> {
  const messages = await reader.all<WakingMessage>(sql`
    SELECT m.*, e.channel, e.route FROM messages m JOIN executions e ON e.id = m.execution_id
    WHERE m.recipient = ${agent} AND m.state = 'queued' AND m.queued_at >= ${since}
    ORDER BY m.created_at DESC, m.id DESC LIMIT ${limit}`);
  return messages.toReversed();
}

/** None when it is another agent's. */
export function messageTo(reader: Reader, agent: string, id: string): Promise<WakingMessage[]> {
  return reader.all<WakingMessage>(sql`
    SELECT m.*, e.channel, e.route FROM messages m JOIN executions e ON e.id = m.execution_id
    WHERE m.id = ${id} AND m.recipient = ${agent}`);
}
