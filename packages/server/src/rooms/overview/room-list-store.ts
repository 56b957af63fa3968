import type { RoomState } from '@parley/protocol/rooms/types';
import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { headed, type RowOf } from '../../platform/database/table.ts';
import { type Participant, participantTable, type Room, roomTable } from '../room/room.ts';

/** A list as the keys of an object, which both databases take apart in the same way. */
const keyed = (names: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));

export interface RoomAsk {
  /** Rooms that an agent of this account takes part in; undefined: all rooms. */
  readonly ownerId: string | undefined;
  readonly state: RoomState | undefined;
  /** Where a page begins: after the room with this time and id. */
  readonly after: { readonly at: number; readonly id: string } | undefined;
  readonly limit: number;
}

const selectRooms = headed(`SELECT ${roomTable.list('r')} FROM rooms r`);

/** Newest first, along an index of those who take part, or of all rooms. */
function roomPage(
  reader: Reader,
  { ownerId, state, after, limit }: RoomAsk,
): Promise<RowOf<typeof roomTable>[]> {
  const at = after?.at ?? Number.MAX_SAFE_INTEGER;
  const id = after?.id ?? '';
  const wanted = state ?? '';
  return ownerId === undefined
    ? reader.all(selectRooms`
        WHERE (r.created_at, r.id) < (${at}, ${id})
          AND (${wanted} = '' OR r.state = ${wanted})
        ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit}`)
    : reader.all(selectRooms`
        WHERE r.id IN (SELECT p.room_id FROM room_participants p WHERE p.owner_id = ${ownerId}
            AND (p.room_created_at, p.room_id) < (${at}, ${id}) AND (${wanted} = '' OR p.room_id IN (
              SELECT s.id FROM rooms s WHERE s.id = p.room_id AND s.state = ${wanted}))
            GROUP BY p.room_created_at, p.room_id ORDER BY p.room_created_at DESC, p.room_id DESC LIMIT ${limit})
        ORDER BY r.created_at DESC, r.id DESC`);
}

const selectParticipants = headed(`SELECT ${participantTable.list()} FROM room_participants`);

export async function roomsLately(reader: Reader, ask: RoomAsk): Promise<Room[]> {
  const rows = await roomPage(reader, ask);
  const all = await reader.all<RowOf<typeof participantTable>>(selectParticipants`
    WHERE room_id IN (SELECT key FROM json_each(${keyed(rows.map(({ id }) => id))})) ORDER BY position`);
  return rows.map((row) => ({
    ...row,
    participants: all.filter(({ roomId }) => roomId === row.id).map(participantOf),
  }));
}

const participantOf = ({ agent, joinedAt, readTurn }: RowOf<typeof participantTable>): Participant => ({
  agent,
  joinedAt,
  readTurn,
});

export interface ListedOffer {
  readonly room_id: string;
  readonly visible: number;
  readonly private: number;
}

/** Whether rooms still stand among the listings, and for whom. */
export function offersOf(reader: Reader, rooms: readonly string[]): Promise<ListedOffer[]> {
  return reader.all<ListedOffer>(sql`
    SELECT room_id, visible, private FROM room_listings
    WHERE room_id IN (SELECT key FROM json_each(${keyed(rooms)}))`);
}

export interface ToldEvent {
  readonly seq: number;
  readonly type: string;
  readonly created_at: number;
  readonly sender: string | null;
  readonly turn: number | null;
  readonly reason: string | null;
}

/** The latest events of a room, newest first, without what was said. */
export function latestEvents(reader: Reader, roomId: string, limit: number): Promise<ToldEvent[]> {
  return reader.all<ToldEvent>(sql`
    SELECT seq, type, created_at, sender, turn, reason FROM room_events
    WHERE room_id = ${roomId} ORDER BY seq DESC LIMIT ${limit}`);
}
