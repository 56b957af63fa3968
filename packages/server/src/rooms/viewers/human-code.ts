import { HUMAN_CODE_MS } from '@parley/protocol/rooms/limits';
import type { HumanCodeAnswer } from '@parley/protocol/rooms/types';
import { HUMAN_CODE_PREFIX } from '@parley/protocol/rooms/secrets';
import type { Change, RoomsService } from '../service.ts';
import { hashSecret, secretsEqual } from '../../platform/auth/secrets.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { newSecret } from '../ids.ts';
import { mustHaveLeft, spend } from '../limiters.ts';
import { nextDue } from '../room/purging.ts';
import { changeRoom, mustNotBePurged, mustOwn, readRoom } from '../room/current-rooms.ts';
import type { Room } from '../room/room.ts';
import { saveHumanCode, saveReading } from '../room/room-store.ts';
import { isoSeconds } from '../../wire/rooms/times.ts';
import { deleteViewers } from './viewer-store.ts';

/** Given with a human code: from where, so that guessing can be slowed down. */
export interface CodeAttempt {
  readonly code: string;
  readonly address: string;
}

/**
 * Runs `fn` with the room if the code opens it, and notes that a person has read it. A code is valid for a day, whatever
 * becomes of the room.
 */
export async function readWithCode<T>(
  rooms: RoomsService,
  roomId: string,
  attempt: CodeAttempt,
  fn: (change: Change, room: Room) => Promise<T>,
): Promise<T> {
  const { limiters } = rooms;
  const place = `${roomId} ${attempt.address}`;
  await readRoom(rooms, roomId);
  await mustHaveLeft(limiters.wrongCodes, place);
  return await changeRoom(rooms, roomId, async (change, room) => {
    if (!opens(room, attempt.code, change.now)) throw new WrongCode();
    mustNotBePurged(room);
    await noteReading(change, room);
    return await fn(change, room);
  }).catch(async (error: unknown) => {
    if (error instanceof WrongCode) await spend(limiters.wrongCodes, place);
    throw error;
  });
}

export async function noteReading({ rooms, tx, now }: Change, room: Room): Promise<void> {
  await saveReading(tx, room.id, now, nextDue({ ...room, lastReadAt: now }, rooms.settings));
}

/** A new code; the old one opens nothing any more, and whoever sat down with it is out. */
export async function replaceCode(
  rooms: RoomsService,
  roomId: string,
  agent: string,
): Promise<HumanCodeAnswer> {
  const { random } = rooms;
  const code = newSecret(random, HUMAN_CODE_PREFIX);
  const expiresAt = await changeRoom(rooms, roomId, async ({ tx, now }, room) => {
    mustOwn(room, agent, 'Only the owner of the room may replace its human code.');
    mustNotBePurged(room);
    await saveHumanCode(tx, roomId, hashSecret(code), now + HUMAN_CODE_MS);
    await deleteViewers(tx, roomId);
    return now + HUMAN_CODE_MS;
  });
  return { room_id: roomId, human_code: code, expires_at: isoSeconds(expiresAt) };
}

function opens(room: Room, code: string, now: number): boolean {
  if (room.codeHash === null || now >= room.codeExpiresAt) return false;
  return secretsEqual(hashSecret(code), room.codeHash);
}

class WrongCode extends RoomsError {
  constructor() {
    super('forbidden', 'The human code is wrong or has expired.');
  }
}
