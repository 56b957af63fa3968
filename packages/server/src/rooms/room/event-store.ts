import type { RoomEventType, RoomState } from '@parley/protocol/rooms/types';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import {
  column,
  generated,
  headed,
  type NewRowOf,
  type RowOf,
  table,
} from '../../platform/database/table.ts';

export const roomEventTable = table('room_events', {
  seq: generated<number>(),
  roomId: column<string>(),
  prev: column<number>(),
  type: column<RoomEventType>(),
  createdAt: column<number>(),
  sender: column<string | null>(),
  turn: column<number | null>(),
  roomState: column<RoomState | null>(),
  reason: column<string | null>(),
});

export type NewEvent = NewRowOf<typeof roomEventTable>;

/** With the message the event is about, if it is about one. */
export type StoredEvent = RowOf<typeof roomEventTable> & {
  readonly messageId: string | null;
  readonly sealedText: string | null;
};

const insertReturningSeq = roomEventTable.insertReturning('seq');
const selectEvents = headed(`
  SELECT ${roomEventTable.list('e')}, m.id AS "messageId", m.sealed_text AS "sealedText"
  FROM room_events e LEFT JOIN room_messages m ON m.room_id = e.room_id AND m.turn = e.turn`);

export async function insertRoomEvent(tx: Tx, event: NewEvent): Promise<number> {
  const row = await tx.get<{ seq: number }>(insertReturningSeq(event));
  if (!row) throw new TypeError('an inserted event returned no row');
  return row.seq;
}

export function roomEventsAfter(
  reader: Reader,
  roomId: string,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  return reader.all<StoredEvent>(
    selectEvents`WHERE e.room_id = ${roomId} AND e.seq > ${after} ORDER BY e.seq LIMIT ${limit}`,
  );
}

export async function isEventOf(reader: Reader, roomId: string, seq: number): Promise<boolean> {
  return await reader.exists(sql`
    SELECT seq FROM room_events WHERE room_id = ${roomId} AND seq = ${seq}`);
}
