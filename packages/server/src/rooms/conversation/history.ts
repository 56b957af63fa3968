import type { RoomHistoryAnswer } from '@parley/protocol/rooms/types';
import type { RoomsService } from '../service.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { mustNotBePurged, readRoomAs } from '../room/current-rooms.ts';
import { isEventOf } from '../room/event-store.ts';
import { readRoomEvents } from '../room/events.ts';

/** Past events of a room, for clients that lost their stream. */
export async function readHistory(
  rooms: RoomsService,
  roomId: string,
  agent: string,
  since: number,
  limit: number,
): Promise<RoomHistoryAnswer> {
  mustNotBePurged(await readRoomAs(rooms, roomId, agent));
  await mustBeCursor(rooms, roomId, since);
  const events = await readRoomEvents(rooms, roomId, since, limit);
  return {
    room_id: roomId,
    items: events.map(({ data }) => data),
    next_since: events.at(-1)?.seq ?? since,
  };
}

/** The beginning, or one of the room's own events: a cursor of another room would silently skip or repeat events. */
export async function mustBeCursor(rooms: RoomsService, roomId: string, since: number): Promise<void> {
  if (since === 0 || (await isEventOf(rooms.database.read, roomId, since))) return;
  throw new RoomsError('invalid_request', 'since: is not the id of an event of this room.');
}
