import type { HistoryAnswer } from '@parley/protocol/rooms/types';
import { RoomsError } from '../../wire/rooms/errors.ts';
import type { RoomEvents } from '../room/events.ts';
import { mustNotBePurged, type CurrentRooms } from '../room/current-rooms.ts';

/** Past events of a room, for clients that lost their stream. */
export class RoomHistory {
  readonly #currentRooms: CurrentRooms;
  readonly #events: RoomEvents;

  constructor(currentRooms: CurrentRooms, events: RoomEvents) {
    this.#currentRooms = currentRooms;
    this.#events = events;
  }

  async read(roomId: string, agent: string, since: number, limit: number): Promise<HistoryAnswer> {
    mustNotBePurged(await this.#currentRooms.readAs(roomId, agent));
    await this.mustBeCursor(roomId, since);
    const events = await this.#events.read(roomId, since, limit);
    return {
      room_id: roomId,
      items: events.map(({ data }) => data),
      next_since: events.at(-1)?.seq ?? since,
    };
  }

  /** A cursor of another room would silently skip or repeat events. */
  async mustBeCursor(roomId: string, since: number): Promise<void> {
    if (await this.#events.isCursor(roomId, since)) return;
    throw new RoomsError('invalid_request', 'since: is not the id of an event of this room.');
  }
}
