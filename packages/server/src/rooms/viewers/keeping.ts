import type { KeptAnswer } from '@parley/protocol/rooms/types';
import type { Tx } from '../../platform/database/database.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { isoSeconds } from '../../wire/rooms/times.ts';
import { nextDue } from '../room/purging.ts';
import { mustNotBePurged, mustOwn, type CurrentRooms } from '../room/current-rooms.ts';
import type { Room } from '../room/room.ts';
import { saveKept } from '../room/room-store.ts';
import type { RoomSettings } from '../settings.ts';
import type { CodeAttempt, HumanCodes } from './human-code.ts';

export interface KeepingOptions {
  readonly settings: RoomSettings;
  readonly currentRooms: CurrentRooms;
  readonly codes: HumanCodes;
}

/** A closed room stays until the retention cap, whoever reads it. Asking twice changes nothing. */
export class Keeping {
  readonly #options: KeepingOptions;

  constructor(options: KeepingOptions) {
    this.#options = options;
  }

  async byOwner(roomId: string, agent: string): Promise<KeptAnswer> {
    return await this.#options.currentRooms.change(roomId, async (tx, room, now) => {
      mustOwn(room, agent, 'Only the owner of the room, or a person with its human code, may keep it.');
      return await this.#keep(tx, room, now);
    });
  }

  async byReader(roomId: string, attempt: CodeAttempt): Promise<KeptAnswer> {
    return await this.#options.codes.reading(roomId, attempt, (tx, room, now) => this.#keep(tx, room, now));
  }

  async #keep(tx: Tx, room: Room, now: number): Promise<KeptAnswer> {
    const { settings } = this.#options;
    mustNotBePurged(room);
    if (room.closedAt === null) throw new RoomsError('room_not_closed');
    const kept = { ...room, keptAt: room.keptAt ?? now };
    await saveKept(tx, room.id, kept.keptAt, nextDue(kept, settings));
    return {
      room_id: room.id,
      state: room.state,
      purge_after: isoSeconds(room.closedAt + settings.retentionMs),
    };
  }
}
