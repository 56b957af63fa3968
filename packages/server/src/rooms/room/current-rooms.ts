import { RoomsError } from '../../wire/rooms/errors.ts';
import type { Change, RoomsService } from '../service.ts';
import { advance, isDue } from './lifecycle.ts';
import { isParticipant, type Room } from './room.ts';
import { findRoom } from './room-store.ts';

/** How every request gets at a room: found, and up to date with the clock. One writer per room at a time. */
export async function readRoom(rooms: RoomsService, roomId: string): Promise<Room> {
  const room = await findRoom(rooms.database.read, roomId);
  if (!room) throw new RoomsError('room_not_found');
  if (!isDue(room, rooms.clock.now())) return room;
  return await changeRoom(rooms, roomId, async (_change, current) => current);
}

export async function readRoomAs(rooms: RoomsService, roomId: string, agent: string): Promise<Room> {
  const room = await readRoom(rooms, roomId);
  mustTakePart(room, agent);
  return room;
}

/**
 * Runs `fn` alone with the room. What the clock owed is committed by itself first: it must stand even when the request
 * is then refused because of it.
 */
export async function changeRoom<T>(
  rooms: RoomsService,
  roomId: string,
  fn: (change: Change, room: Room) => Promise<T>,
): Promise<T> {
  const { database, clock } = rooms;
  for (;;) {
    const outcome = await database.write(async (tx) => {
      await tx.lock(`room:${roomId}`);
      const room = await findRoom(tx, roomId);
      if (!room) throw new RoomsError('room_not_found');
      const change = { rooms, tx, now: clock.now() };
      if (!isDue(room, change.now)) return { value: await fn(change, room) };
      await advance(change, room);
      return undefined;
    });
    if (outcome) return outcome.value;
  }
}

export function mustTakePart(room: Room, agent: string): void {
  if (!isParticipant(room, agent)) throw new RoomsError('forbidden');
}

export function mustOwn(room: Room, agent: string, hint: string): void {
  if (room.participants[0]?.agent !== agent) throw new RoomsError('forbidden', hint);
}

export function mustNotBePurged(room: Room): void {
  if (room.state === 'PURGED') throw new RoomsError('gone');
}

export function mustBeOpen(room: Room): void {
  if (room.state === 'CLOSED' || room.state === 'PURGED') throw new RoomsError('gone');
}
