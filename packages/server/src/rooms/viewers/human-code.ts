import { isoSeconds } from '@parley/protocol/iso-seconds';
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
import { saveColumns } from '../room/room-store.ts';
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
  await readRoom(rooms, roomId);
  return await countingGuesses(rooms, `${roomId} ${attempt.address}`, () =>
    changeRoom(rooms, roomId, async (change, room) => {
      if (!opens(room, attempt.code, change.now)) {
        throw new WrongGuess('forbidden', 'The human code is wrong or has expired.');
      }
      mustNotBePurged(room);
      await noteReading(change, room);
      return await fn(change, room);
    }),
  );
}

/** A code or a token that nobody was given. */
export class WrongGuess extends RoomsError {}

/** Nothing is tried from a place where too much was guessed lately; what `work` finds to be a wrong guess is counted. */
export async function countingGuesses<T>(
  { limiters }: RoomsService,
  place: string,
  work: () => Promise<T>,
): Promise<T> {
  await mustHaveLeft(limiters.wrongCodes, place);
  return await work().catch(async (error: unknown) => {
    if (error instanceof WrongGuess) await spend(limiters.wrongCodes, place);
    throw error;
  });
}

export async function noteReading({ rooms, tx, now }: Change, room: Room): Promise<void> {
  const dueAt = nextDue({ ...room, lastReadAt: now }, rooms.settings);
  await saveColumns(tx, room.id, { lastReadAt: now, dueAt });
}

/** A new code; the old one opens nothing any more, and whoever sat down with it is out. */
export async function replaceCode(
  rooms: RoomsService,
  roomId: string,
  agent: string,
): Promise<HumanCodeAnswer> {
  const code = newSecret(rooms.random, HUMAN_CODE_PREFIX);
  const expiresAt = await changeRoom(rooms, roomId, async ({ tx, now }, room) => {
    mustOwn(room, agent, 'Only the owner of the room may replace its human code.');
    mustNotBePurged(room);
    const codeExpiresAt = now + HUMAN_CODE_MS;
    await saveColumns(tx, roomId, { codeHash: hashSecret(code), codeExpiresAt });
    await deleteViewers(tx, roomId);
    return codeExpiresAt;
  });
  return { room_id: roomId, human_code: code, expires_at: isoSeconds(expiresAt) };
}

function opens(room: Room, code: string, now: number): boolean {
  if (room.codeHash === null || now >= room.codeExpiresAt) return false;
  return secretsEqual(hashSecret(code), room.codeHash);
}
