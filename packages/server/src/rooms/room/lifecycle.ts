import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import { type TimerWheel, WheelEntry } from '../../platform/timer-wheel.ts';
import type { Deliveries } from '../turn-wakes/deliveries.ts';
import { nextDue, purgeReason } from './purging.ts';
import type { RecentMessages } from '../conversation/recent-messages.ts';
import type { RoomChanges } from './room-changes.ts';
import type { CloseReason, Room } from './room.ts';
import { findDueRooms, findRoom, saveRoom } from './room-store.ts';
import type { RoomSettings } from '../settings.ts';
import { canSkip } from './state-machine.ts';
import { turnDeadline } from './turns.ts';
import { watchedUntil } from '../viewers/viewer-store.ts';

export interface LifecycleOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly wheel: TimerWheel;
  readonly log: Log;
  readonly settings: RoomSettings;
  readonly changes: RoomChanges;
  readonly deliveries: Deliveries;
  readonly recent: RecentMessages;
}

const SWEEP_ROOMS = 200;

export function isDue(room: Room, now: number): boolean {
  return room.dueAt !== null && room.dueAt <= now;
}

/**
 * What the clock does to rooms: both lazily, before a request that touches a room is answered, and by a sweep, so that
 * whoever only listens hears of it too.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #timer: SweepTimer;
  #sweeping: Promise<void> | undefined;
  #stopped = false;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    this.#timer = new SweepTimer(() => this.#sweepAndRearm());
  }

  start(): void {
    this.#options.wheel.start(this.#timer, this.#options.settings.sweepMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#options.wheel.cancel(this.#timer);
    await this.#sweeping;
  }

  /** Applies everything the clock owes. The caller holds the room's lock. */
  async advance(tx: Tx, room: Room, now: number): Promise<Room> {
    let current = room;
    while (isDue(current, now)) current = await this.#step(tx, current, now);
    return current;
  }

  async #step(tx: Tx, room: Room, now: number): Promise<Room> {
    const { changes, settings } = this.#options;
    if (room.state === 'CLOSED') {
      const watched = await watchedUntil(tx, room.id);
      const reason = purgeReason(room, watched, settings, now);
      if (reason) return await changes.purge(tx, room, reason, now);
      return await this.#putOff(tx, room, nextDue(room, settings, watched));
    }
    const reason = closeReason(room, now);
    if (reason === undefined) return await this.#putOff(tx, room, nextDue(room, settings));
    if (reason === 'turn_timeout' && canSkip(room)) return await changes.skip(tx, room, now);
    return await changes.close(tx, room, { reason }, now);
  }

  async #putOff(tx: Tx, room: Room, dueAt: number | null): Promise<Room> {
    const later = { ...room, dueAt };
    await saveRoom(tx, later);
    return later;
  }

  /** One pass over the rooms that are due, each in a write of its own. */
  async sweep(): Promise<void> {
    const { database, clock, deliveries, recent } = this.#options;
    recent.forgetIdle();
    for (const id of await findDueRooms(database.read, clock.now(), SWEEP_ROOMS)) {
      if (this.#stopped) return;
      await database.write(async (tx) => {
        await tx.lock(`room:${id}`);
        const room = await findRoom(tx, id);
        if (room) await this.advance(tx, room, clock.now());
      });
    }
    await deliveries.forgetExpired();
  }

  #sweepAndRearm(): void {
    const { log, wheel, settings } = this.#options;
    this.#sweeping = this.sweep()
      .catch((error: unknown) => {
        if (!this.#stopped) log.error('room_sweep_failed', errorFields(error));
      })
      .then(() => {
        this.#sweeping = undefined;
        if (!this.#stopped) wheel.start(this.#timer, settings.sweepMs);
      });
  }
}

/** Which of the two clocks of a running room ran out first. */
function closeReason(room: Room, now: number): CloseReason | undefined {
  const deadline = turnDeadline(room) ?? Number.POSITIVE_INFINITY;
  if (now > deadline && deadline <= room.ttlAt) return 'turn_timeout';
  return now > room.ttlAt ? 'ttl_expired' : undefined;
}

class SweepTimer extends WheelEntry {
  readonly #run: () => void;

  constructor(run: () => void) {
    super();
    this.#run = run;
  }

  fire(): void {
    this.#run();
  }
}
