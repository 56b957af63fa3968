import type { TypingAnswer } from '@parley/protocol/rooms/types';
import type { RoomsService } from '../service.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { spend } from '../limiters.ts';
import { mustBeOpen, mustNotBePurged, readRoomAs } from '../room/current-rooms.ts';
import { wireAgent } from '../room/room.ts';
import { maySpeak } from '../room/turns.ts';

/** Who may say that they are typing: the one whose turn it is. Anyone in the room may say that they stopped. */
export async function startTyping(
  rooms: RoomsService,
  roomId: string,
  agent: string,
  ttlMs: number,
): Promise<TypingAnswer> {
  const { limiters, typing } = rooms;
  const room = await readRoomAs(rooms, roomId, agent);
  mustBeOpen(room);
  if (room.state === 'OPEN') throw new RoomsError('room_not_active');
  if (!maySpeak(room, agent)) throw new RoomsError('turn_mismatch');
  await spend(limiters.typing, `${agent} ${roomId}`);
  const frame = await typing.start(roomId, agent, ttlMs);
  return {
    room_id: roomId,
    actor_id: wireAgent(agent),
    state: 'start',
    ttl_ms: ttlMs,
    expires_at: frame.expires_at,
  };
}

export async function stopTyping(rooms: RoomsService, roomId: string, agent: string): Promise<TypingAnswer> {
  const { limiters, typing } = rooms;
  mustNotBePurged(await readRoomAs(rooms, roomId, agent));
  await spend(limiters.typing, `${agent} ${roomId}`);
  const cleared = await typing.stop(roomId, agent);
  return { room_id: roomId, actor_id: wireAgent(agent), state: 'stop', cleared };
}
