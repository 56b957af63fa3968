import type { Tx } from '../../platform/database/database.ts';
import { errorFields } from '../../platform/log.ts';
import type { WheelEntry } from '../../platform/timer-wheel.ts';
import { forgetExpired } from '../turn-wakes/deliveries.ts';
import { nextDue, purgeReason } from './purging.ts';
import { close, purge, skip } from './room-changes.ts';
import type { CloseReason, Room } from './room.ts';
import { findDueRooms, findRoom, saveRoom } from './room-store.ts';
import type { Change, RoomsService } from '../service.ts';
import { canSkip } from './state-machine.ts';
import { turnDeadline } from './turns.ts';
import { watchedUntil } from '../viewers/viewer-store.ts';

const SWEEP_ROOMS = 200;

export function isDue(room: Room, now: number): boolean {
  return room.dueAt !== null && room.dueAt <= now;
}

/** Applies everything the clock owes. The caller holds the room's lock. */
export async function advance(change: Change, room: Room): Promise<Room> {
  let current = room;
  while (isDue(current, change.now)) current = await step(change, current);
  return current;
}

async function step(change: Change, room: Room): Promise<Room> {
  const { tx, now } = change;
  const { settings } = change.rooms;
  if (room.state === 'CLOSED') {
    const watched = await watchedUntil(tx, room.id);
    const reason = purgeReason(room, watched, settings, now);
    if (reason) return await purge(change, room, reason);
    return await putOff(tx, room, nextDue(room, settings, watched));
  }
  const reason = closeReason(room, now);
  if (reason === undefined) return await putOff(tx, room, nextDue(room, settings));
  if (reason === 'turn_timeout' && canSkip(room)) return await skip(change, room);
  return await close(change, room, { reason });
}

async function putOff(tx: Tx, room: Room, dueAt: number | null): Promise<Room> {
  const later = { ...room, dueAt };
  await saveRoom(tx, later);
  return later;
}

/** Which of the two clocks of a running room ran out first. */
function closeReason(room: Room, now: number): CloseReason | undefined {
  const deadline = turnDeadline(room) ?? Number.POSITIVE_INFINITY;
  if (now > deadline && deadline <= room.ttlAt) return 'turn_timeout';
  return now > room.ttlAt ? 'ttl_expired' : undefined;
}

/**
 * What the clock does to rooms: both lazily, before a request that touches a room is answered, and by a sweep, so that
 * whoever only listens hears of it too.
 */
export class Lifecycle {
  readonly #rooms: RoomsService;
  #timer: WheelEntry | undefined;
  #sweeping: Promise<void> | undefined;
  #stopped = false;

  constructor(rooms: RoomsService) {
    this.#rooms = rooms;
  }

  start(): void {
    if (this.#stopped) return;
    const { wheel, settings } = this.#rooms;
    this.#timer = wheel.add(settings.sweepMs, () => this.#sweepAndRearm());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) this.#rooms.wheel.cancel(this.#timer);
    await this.#sweeping;
  }

  /** One pass over the rooms that are due, each in a write of its own. */
  async sweep(): Promise<void> {
    const { database, clock, recent } = this.#rooms;
    recent.forgetIdle();
    for (const id of await findDueRooms(database.read, clock.now(), SWEEP_ROOMS)) {
      if (this.#stopped) return;
      await database.write(async (tx) => {
        await tx.lock(`room:${id}`);
        const room = await findRoom(tx, id);
        if (room) await advance({ rooms: this.#rooms, tx, now: clock.now() }, room);
      });
    }
    await forgetExpired(this.#rooms);
  }

  #sweepAndRearm(): void {
    this.#sweeping = this.sweep()
      .catch((error: unknown) => {
        if (!this.#stopped) this.#rooms.log.error('room_sweep_failed', errorFields(error));
      })
      .then(() => this.start());
  }
}
