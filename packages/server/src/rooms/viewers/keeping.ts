import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { KeptAnswer } from '@parley/protocol/rooms/types';
import type { Change, RoomsService } from '../service.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { nextDue } from '../room/purging.ts';
import { changeRoom, mustNotBePurged, mustOwn } from '../room/current-rooms.ts';
import type { Room } from '../room/room.ts';
import { saveColumns } from '../room/room-store.ts';

/** A closed room stays until the retention cap, whoever reads it. Asking twice changes nothing. */
export async function keepAsOwner(rooms: RoomsService, roomId: string, agent: string): Promise<KeptAnswer> {
  return await changeRoom(rooms, roomId, async (change, room) => {
    mustOwn(room, agent, 'Only the owner of the room, or a person with its human code, may keep it.');
    return await keep(change, room);
  });
}

/** Whoever asks has shown that they may. */
export async function keep({ rooms, tx, now }: Change, room: Room): Promise<KeptAnswer> {
  const { settings } = rooms;
  mustNotBePurged(room);
  if (room.closedAt === null) throw new RoomsError('room_not_closed');
  const kept = { ...room, keptAt: room.keptAt ?? now };
  await saveColumns(tx, room.id, { keptAt: kept.keptAt, dueAt: nextDue(kept, settings) });
  return {
    room_id: room.id,
    state: room.state,
    purge_after: isoSeconds(room.closedAt + settings.retentionMs),
  };
}
