import type { RoomState } from '@parley/protocol/rooms/types';
import { type CountAsk, type Counted, countsSince } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import { headed, type RowOf } from '../../platform/database/table.ts';
import { listingTable } from '../listings/listing-store.ts';
import { roomEventTable } from '../room/event-store.ts';
import { participantTable, type Room, roomTable } from '../room/room.ts';

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

export async function roomsLately(reader: Reader, ask: RoomAsk): Promise<Room[]> {
  const rows = await roomPage(reader, ask);
  const ids = rows.map(({ id }) => id);
  const all = (await participantTable.among(reader, 'roomId', ids)).toSorted(
    (a, b) => a.position - b.position,
  );
  return rows.map((row) => ({
    ...row,
    participants: all.filter(({ roomId }) => roomId === row.id),
  }));
}

const offers = listingTable.pick('roomId', 'visible', 'private');

/** Whether rooms still stand among the listings, and for whom. */
export const offersOf = (reader: Reader, rooms: readonly Room[]) =>
  offers.among(
    reader,
    'roomId',
    rooms.map(({ id }) => id),
  );

const told = roomEventTable.pick('seq', 'type', 'createdAt', 'sender', 'turn', 'reason');

/** The latest events of a room, newest first, without what was said. */
export function latestEvents(reader: Reader, roomId: string, limit: number): Promise<RowOf<typeof told>[]> {
  return reader.all(told.select`WHERE room_id = ${roomId} ORDER BY seq DESC LIMIT ${limit}`);
}

interface Tables {
  room_messages: { room_id: string; sender: string };
  room_participants: { room_id: string; agent: string; owner_id: string };
}

/** How many turns were taken by stretch of time; by the agents of one account, or by all. */
export function turnCountsSince(reader: Reader, ask: CountAsk): Promise<Counted[]> {
  const { ownerId } = ask;
  const turns = reader.kysely<Tables>().selectFrom('room_messages as m');
  if (ownerId === undefined) return countsSince(turns, 'm.created_at', ask);
  const own = turns
    .innerJoin('room_participants as p', (of) =>
      of.onRef('p.room_id', '=', 'm.room_id').onRef('p.agent', '=', 'm.sender'),
    )
    .where('p.owner_id', '=', ownerId);
  return countsSince(own, 'm.created_at', ask);
}
