import { VIEWER_TIMEOUT_MS } from '@parley/protocol/rooms/limits';
import type { ViewersAnswer } from '@parley/protocol/rooms/types';
import { VIEWER_PREFIX } from '@parley/protocol/rooms/secrets';
import type { Change, RoomsService } from '../service.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Reader } from '../../platform/database/database.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { type CodeAttempt, countingGuesses, noteReading, readWithCode, WrongGuess } from './human-code.ts';
import { newSecret } from '../ids.ts';
import type { Room } from '../room/room.ts';
import * as store from './viewer-store.ts';
import { changeRoom } from '../room/current-rooms.ts';

/** Given with a viewer token, as with a human code: from where, so that guessing can be slowed down. */
export interface TokenAttempt {
  readonly token: string;
  readonly address: string;
}

/**
 * Human readers.
 *
 * | viewer          | heartbeat   | leave                |
 * |-----------------|-------------|----------------------|
 * | active          | 200         | 200, has left        |
 * | silent for 45 s | 404         | 200, has left        |
 * | has left        | 410         | 200, nothing changes |
 * | unknown         | 404         | 404                  |
 */
export async function joinViewers(
  rooms: RoomsService,
  roomId: string,
  attempt: CodeAttempt,
): Promise<ViewersAnswer> {
  const token = newSecret(rooms.random, VIEWER_PREFIX);
  const active = await readWithCode(rooms, roomId, attempt, async ({ tx, now }) => {
    await store.insertViewer(tx, roomId, hashSecret(token), now);
    return await store.countActiveViewers(tx, roomId, now);
  });
  return { viewer_token: token, active_viewers: active };
}

export async function viewerBeat(
  rooms: RoomsService,
  roomId: string,
  attempt: TokenAttempt,
): Promise<ViewersAnswer> {
  return await asViewer(rooms, roomId, attempt, async (change, room, viewer) => {
    mustBeActive(viewer, change.now);
    await store.saveBeat(change.tx, viewer.hash, change.now);
    await noteReading(change, room);
  });
}

export async function leaveViewers(
  rooms: RoomsService,
  roomId: string,
  attempt: TokenAttempt,
): Promise<ViewersAnswer> {
  return await asViewer(rooms, roomId, attempt, async (change, room, viewer) => {
    if (viewer.leftAt !== null) return;
    await store.saveLeft(change.tx, viewer.hash, change.now);
    if (isActive(viewer, change.now)) await noteReading(change, room);
  });
}

/** For a stream that opens. */
export async function admitViewer(
  rooms: RoomsService,
  roomId: string,
  { token, address }: TokenAttempt,
): Promise<void> {
  await countingGuesses(rooms, placeOf(roomId, address), () => mustBeWatching(rooms, roomId, token));
}

/** For a stream that opens, and again while it is open: throws when the viewer may not watch (any more). */
export async function mustBeWatching(rooms: RoomsService, roomId: string, token: string): Promise<void> {
  mustBeActive(await viewerOf(rooms.database.read, roomId, token), rooms.clock.now());
}

async function asViewer(
  rooms: RoomsService,
  roomId: string,
  { token, address }: TokenAttempt,
  fn: (change: Change, room: Room, viewer: store.StoredViewer) => Promise<void>,
): Promise<ViewersAnswer> {
  const change = (): Promise<number> =>
    changeRoom(rooms, roomId, async (held, room) => {
      await fn(held, room, await viewerOf(held.tx, roomId, token));
      return await store.countActiveViewers(held.tx, roomId, held.now);
    });
  return { active_viewers: await countingGuesses(rooms, placeOf(roomId, address), change) };
}

/** Tokens that nobody was given count by room and address, beside wrong codes and with the same limit. */
const placeOf = (roomId: string, address: string): string => `viewer ${roomId} ${address}`;

async function viewerOf(reader: Reader, roomId: string, token: string): Promise<store.StoredViewer> {
  const viewer = await store.findViewer(reader, hashSecret(token));
  if (viewer?.roomId !== roomId) throw new WrongGuess('viewer_not_found');
  return viewer;
}

function isActive({ beatAt, leftAt }: store.StoredViewer, now: number): boolean {
  return leftAt === null && now - beatAt <= VIEWER_TIMEOUT_MS;
}

function mustBeActive(viewer: store.StoredViewer, now: number): void {
  if (viewer.leftAt !== null) throw new RoomsError('gone', 'You have left; join again with the human code.');
  if (!isActive(viewer, now)) throw new RoomsError('viewer_not_found');
}
