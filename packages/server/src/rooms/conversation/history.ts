import type { HistoryAnswer } from '@parley/protocol/rooms/types';
import type { RoomsService } from '../service.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { mustNotBePurged } from '../room/current-rooms.ts';

/** Past events of a room, for clients that lost their stream. */
export async function readHistory(
  rooms: RoomsService,
  roomId: string,
  agent: string,
  since: number,
  limit: number,
): Promise<HistoryAnswer> {
  mustNotBePurged(await rooms.currentRooms.readAs(roomId, agent));
  await mustBeCursor(rooms, roomId, since);
  const events = await rooms.events.read(roomId, since, limit);
  return {
    room_id: roomId,
    items: events.map(({ data }) => data),
    next_since: events.at(-1)?.seq ?? since,
  };
}

/** A cursor of another room would silently skip or repeat events. */
export async function mustBeCursor(rooms: RoomsService, roomId: string, since: number): Promise<void> {
  if (await rooms.events.isCursor(roomId, since)) return;
  throw new RoomsError('invalid_request', 'since: is not the id of an event of this room.');
}
