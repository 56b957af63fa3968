import { VIEWER_TIMEOUT_MS } from '@parley/protocol/rooms/limits';
import type { ViewersAnswer } from '@parley/protocol/rooms/types';
import { VIEWER_PREFIX } from '@parley/protocol/rooms/secrets';
import type { Change, RoomsService } from '../service.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { type CodeAttempt, noteReading, readWithCode } from './human-code.ts';
import { newSecret } from '../ids.ts';
import { mustHaveLeft, spend } from '../limiters.ts';
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
  const { random } = rooms;
  const token = newSecret(random, VIEWER_PREFIX);
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
  const { token } = attempt;
  return await asViewer(rooms, roomId, attempt, async (change, room, viewer) => {
    mustBeActive(viewer, change.now);
    await store.saveBeat(change.tx, hashSecret(token), change.now);
    await noteReading(change, room);
  });
}

export async function leaveViewers(
  rooms: RoomsService,
  roomId: string,
  attempt: TokenAttempt,
): Promise<ViewersAnswer> {
  const { token } = attempt;
  return await asViewer(rooms, roomId, attempt, async (change, room, viewer) => {
    if (viewer.leftAt !== null) return;
    await store.saveLeft(change.tx, hashSecret(token), change.now);
    if (isActive(viewer, change.now)) await noteReading(change, room);
  });
}

/** For a stream that opens. */
export async function admitViewer(
  rooms: RoomsService,
  roomId: string,
  { token, address }: TokenAttempt,
): Promise<void> {
  await counted(rooms, roomId, address, () => mustBeWatching(rooms, roomId, token));
}

/** For a stream that opens, and again while it is open: throws when the viewer may not watch (any more). */
export async function mustBeWatching(rooms: RoomsService, roomId: string, token: string): Promise<void> {
  const { database, clock } = rooms;
  mustBeActive(viewerOf(roomId, await store.findViewer(database.read, hashSecret(token))), clock.now());
}

async function asViewer(
  rooms: RoomsService,
  roomId: string,
  { token, address }: TokenAttempt,
  fn: (change: Change, room: Room, viewer: store.StoredViewer) => Promise<void>,
): Promise<ViewersAnswer> {
  const change = (): Promise<number> =>
    changeRoom(rooms, roomId, async (held, room) => {
      const viewer = viewerOf(roomId, await store.findViewer(held.tx, hashSecret(token)));
      await fn(held, room, viewer);
      return await store.countActiveViewers(held.tx, roomId, held.now);
    });
  return { active_viewers: await counted(rooms, roomId, address, change) };
}

/** Tokens that nobody was given count by room and address, beside wrong codes and with the same limit. */
async function counted<T>(
  rooms: RoomsService,
  roomId: string,
  address: string,
  work: () => Promise<T>,
): Promise<T> {
  const { wrongCodes } = rooms.limiters;
  const place = `viewer ${roomId} ${address}`;
  await mustHaveLeft(wrongCodes, place);
  return await work().catch(async (error: unknown) => {
    if (error instanceof UnknownViewer) await spend(wrongCodes, place);
    throw error;
  });
}

class UnknownViewer extends RoomsError {
  constructor() {
    super('viewer_not_found');
  }
}

function viewerOf(roomId: string, viewer: store.StoredViewer | undefined): store.StoredViewer {
  if (viewer?.roomId !== roomId) throw new UnknownViewer();
  return viewer;
}

function isActive({ beatAt, leftAt }: store.StoredViewer, now: number): boolean {
  return leftAt === null && now - beatAt <= VIEWER_TIMEOUT_MS;
}

function mustBeActive(viewer: store.StoredViewer, now: number): void {
  if (viewer.leftAt !== null) throw new RoomsError('gone', 'You have left; join again with the human code.');
  if (!isActive(viewer, now)) throw new RoomsError('viewer_not_found');
}
