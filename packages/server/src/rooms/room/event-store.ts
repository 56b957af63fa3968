import type { RoomEventType, RoomState } from '@parley/protocol/rooms/types';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface NewEvent {
  readonly roomId: string;
  readonly prev: number;
  readonly type: RoomEventType;
  readonly createdAt: number;
  readonly sender: string | null;
  readonly turn: number | null;
  readonly roomState: RoomState | null;
  readonly reason: string | null;
}

/** With the message the event is about, if it is about one. */
export interface StoredEvent extends NewEvent {
  readonly seq: number;
  readonly messageId: string | null;
  readonly sealedText: string | null;
}

export async function insertEvent(tx: Tx, event: NewEvent): Promise<number> {
  const row = await tx.get<{ seq: number }>(sql`
    INSERT INTO room_events (room_id, prev, type, created_at, sender, turn, room_state, reason)
    VALUES (${event.roomId}, ${event.prev}, ${event.type}, ${event.createdAt}, ${event.sender}, ${event.turn},
      ${event.roomState}, ${event.reason})
    RETURNING seq`);
  if (!row) throw new TypeError('an inserted event returned no row');
  return row.seq;
}

export function eventsAfter(
  reader: Reader,
  roomId: string,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  return reader.all<StoredEvent>(sql`
    SELECT e.seq AS "seq", e.room_id AS "roomId", e.prev AS "prev", e.type AS "type", e.created_at AS "createdAt",
           e.sender AS "sender", e.turn AS "turn", e.room_state AS "roomState", e.reason AS "reason",
           m.id AS "messageId", m.sealed_text AS "sealedText"
    FROM room_events e LEFT JOIN room_messages m ON m.room_id = e.room_id AND m.turn = e.turn
    WHERE e.room_id = ${roomId} AND e.seq > ${after} ORDER BY e.seq LIMIT ${limit}`);
}

export async function isEventOf(reader: Reader, roomId: string, seq: number): Promise<boolean> {
  const row = await reader.get(sql`
    SELECT seq FROM room_events WHERE room_id = ${roomId} AND seq = ${seq}`);
  return row !== undefined;
}

export async function deleteEvents(tx: Tx, roomId: string): Promise<void> {
  await tx.run(sql`DELETE FROM room_events WHERE room_id = ${roomId}`);
}
