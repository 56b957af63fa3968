import type { EventTarget, EventType } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql, word } from '../../platform/database/sql.ts';
import { column, generated, type RowOf, table } from '../../platform/database/table.ts';

const WEBHOOK = word('webhook' satisfies EventTarget);
const DELIVERED = word('message.delivered' satisfies EventType);
const DIGEST = word('message.digest' satisfies EventType);

export const eventTable = table('agent_events', {
  id: generated<number>(),
  agent: column<string>(),
  event_type: column<EventType>(),
  message_id: column<string | null>(),
  priority: column<number | null>(),
  payload: column<string>(),
  emitted_at: column<number>(),
});

export type EventRow = RowOf<typeof eventTable>;
export type NewEventRow = Omit<EventRow, 'id'>;

/** Its id, and how many endpoints want to be told of it: asked along the way, for it is asked with every event. */
export async function insertEvent(tx: Tx, event: NewEventRow): Promise<{ id: number; hooks: number }> {
  const row = await tx.get<{ id: number; hooks: number }>(eventTable.inserting(event)`
    RETURNING id, (
      SELECT count(*) FROM event_subscriptions
      WHERE agent = ${event.agent} AND target = ${WEBHOOK} AND event_type = ${event.event_type}
        AND detached_at IS NULL) AS hooks`);
  if (!row) throw new TypeError('an inserted event returned no row');
  return row;
}

/** Oldest first. */
export function eventsAfter(
  reader: Reader,
  agent: string,
  after: number,
  limit: number,
): Promise<EventRow[]> {
  return reader.all<EventRow>(
    eventTable.select`WHERE agent = ${agent} AND id > ${after} ORDER BY id LIMIT ${limit}`,
  );
}

export interface TypedRange {
  readonly agent: string;
  readonly type: EventType;
  readonly after: number;
  readonly upTo?: number;
}

/** The same of one type. */
export function typedEventsAfter(
  reader: Reader,
  { agent, type, after, upTo = Number.MAX_SAFE_INTEGER }: TypedRange,
  limit: number,
): Promise<EventRow[]> {
  return reader.all<EventRow>(eventTable.select`
    WHERE agent = ${agent} AND event_type = ${type} AND id > ${after} AND id <= ${upTo} ORDER BY id LIMIT ${limit}`);
}

/** Of the agent; 0 when there is none. */
export async function newestEvent(reader: Reader, agent: string): Promise<number> {
  return await reader.total(sql`SELECT max(id) AS id FROM agent_events WHERE agent = ${agent}`);
}

/** Messages of low priority that arrived since the last digest was written. */
export function undigested(reader: Reader, agent: string, mostPriority: number): Promise<EventRow[]> {
  return reader.all<EventRow>(eventTable.select`
    WHERE agent = ${agent} AND event_type = ${DELIVERED} AND priority <= ${mostPriority} AND id > COALESCE((
      SELECT max(id) FROM agent_events WHERE agent = ${agent} AND event_type = ${DIGEST}), 0)
    ORDER BY id`);
}

/** Removes the oldest, at most `limit`, of those from before a time; how many there were. Their ids grow with time. */
export function forgetEvents(tx: Tx, before: number, limit: number): Promise<number> {
  return tx.run(sql`
    DELETE FROM agent_events
    WHERE emitted_at < ${before} AND id IN (SELECT id FROM agent_events ORDER BY id LIMIT ${limit})`);
}
