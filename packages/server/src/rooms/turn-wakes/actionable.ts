import { isoSeconds } from '@parley/protocol/iso-seconds';
import { TERMINAL_WINDOW_MS } from '@parley/protocol/rooms/limits';
import type { ActionableAnswer } from '@parley/protocol/rooms/types';
import type { RoomsService } from '../service.ts';
import type { Credential } from '../../wire/caller.ts';
import { type EndedRoom, findRoomsAwaiting, findRoomsEndedSince } from '../room/room-store.ts';
import { maySpeak, nextActorIdFor } from '../room/turns.ts';
import { grantToken } from '../access/tokens.ts';
import { changeRoom } from '../room/current-rooms.ts';

type Waiting = ActionableAnswer['actionable'][number];

/** Where an agent stands after it lost its stream: what waits for it, and what is over. */
export async function actionableRooms(
  rooms: RoomsService,
  agent: string,
  minter: Credential,
): Promise<ActionableAnswer> {
  const { database, clock } = rooms;
  const actionable: Waiting[] = [];
  for (const roomId of await findRoomsAwaiting(database.read, agent)) {
    const waiting = await waitingRoom(rooms, roomId, agent, minter);
    if (waiting) actionable.push(waiting);
  }
  // Read last: a room that turned out to be over just now is listed here.
  const ended = await findRoomsEndedSince(database.read, agent, clock.now() - TERMINAL_WINDOW_MS);
  return { actionable, terminal: ended.map(toTerminal) };
}

/** Undefined when the clock or somebody else ended the turn meanwhile. */
async function waitingRoom(
  rooms: RoomsService,
  roomId: string,
  agent: string,
  minter: Credential,
): Promise<Waiting | undefined> {
  return await changeRoom(rooms, roomId, async (change, room) => {
    if (room.state !== 'ACTIVE' || !maySpeak(room, agent)) return undefined;
    const { token, expiresAt } = await grantToken(change, { roomId, agent, minter });
    return {
      room_id: roomId,
      room_state: room.state,
      next_turn: room.turnIndex,
      next_actor_id: nextActorIdFor(room, agent),
      token,
      expires_at: isoSeconds(expiresAt),
    };
  });
}

function toTerminal({ id, state, closedAt, purgedAt }: EndedRoom): ActionableAnswer['terminal'][number] {
  return {
    room_id: id,
    room_state: state,
    closed_at: isoSeconds(closedAt),
    ...(purgedAt !== null && { purged_at: isoSeconds(purgedAt) }),
  };
}
