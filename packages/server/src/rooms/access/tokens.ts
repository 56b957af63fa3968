import { isoSeconds } from '@parley/protocol/iso-seconds';
import { ROOM_TOKEN_MS, ROOM_TOKEN_SCOPE } from '@parley/protocol/rooms/limits';
import type { RoomTokenAnswer } from '@parley/protocol/rooms/types';
import { ROOM_TOKEN_PREFIX } from '@parley/protocol/rooms/secrets';
import type { Change, RoomsService } from '../service.ts';
import type { Credential } from '../../wire/caller.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { newSecret } from '../ids.ts';
import { changeRoom, mustBeOpen, mustTakePart } from '../room/current-rooms.ts';
import { wireAgent } from '../room/room.ts';
import { putToken } from './token-store.ts';

/**
 * Narrow credentials: one agent, one room, five minutes. An agent has at most one alive for a room, and it outlives neither
 * the room nor the key or session that minted it.
 */
export async function mintToken(
  rooms: RoomsService,
  roomId: string,
  agent: string,
  minter: Credential,
): Promise<RoomTokenAnswer> {
  const { token, expiresAt } = await changeRoom(rooms, roomId, async (change, room) => {
    mustTakePart(room, agent);
    mustBeOpen(room);
    return await grantToken(change, { roomId, agent, minter });
  });
  return {
    room_id: roomId,
    agent_id: wireAgent(agent),
    token,
    scope: ROOM_TOKEN_SCOPE,
    expires_at: isoSeconds(expiresAt),
  };
}

/** The caller holds the room's lock and has checked that a token may be given. */
export async function grantToken(
  { rooms, tx, now }: Change,
  { roomId, agent, minter }: { roomId: string; agent: string; minter: Credential },
): Promise<{ token: string; expiresAt: number }> {
  const token = newSecret(rooms.random, ROOM_TOKEN_PREFIX);
  const expiresAt = now + ROOM_TOKEN_MS;
  const credential = { credentialKind: minter.kind, credentialId: minter.id };
  await putToken(tx, { roomId, agent, hash: hashSecret(token), expiresAt, ...credential });
  return { token, expiresAt };
}
