import { type Clock, systemClock, type Timer } from '../clock.ts';
import type { Database, Reader } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { errorFields, type Log } from '../log.ts';

const LOOK_MS = 10_000;
/** What asking takes makes the answer uncertain: below this the clocks agree, and time is not moved to and fro. */
const AGREED_MS = 100;
/** A machine whose clock moved by more than this was set, or slept: the store is asked at once. */
const STEP_MS = 2_000;

/**
 * The time of the database that nodes share. Machines disagree by minutes at times; whoever runs ahead would do what is due early and
 * take leases of others. So every node goes by the clock of the store, which it asks at its start, every ten seconds and when the
 * clock of its machine stepped or the machine slept; in between it counts by what no step moves.
 */
export class StoreClock implements Clock {
  readonly #base: Clock;
  /** The time of the store when the monotonic clock began. */
  #start: number;
  /** The same by the clock of this machine: what moves it is a step of that, or a sleep, in which the monotonic one stands still. */
  #machine: number;
  #look = (): void => {};
  /** How far this machine is ahead, as it was told last. */
  #differs = 0;

  constructor(base: Clock = systemClock) {
    this.#base = base;
    this.#start = this.#machineStart();
    this.#machine = this.#start;
  }

  #machineStart(): number {
    return this.#base.now() - this.#base.monotonic();
  }

  now(): number {
    const machine = this.#machineStart();
    if (Math.abs(machine - this.#machine) > STEP_MS) {
      this.#machine = machine;
      this.#look();
    }
    return Math.floor(this.#start + this.#base.monotonic());
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  after(ms: number, fn: () => void): Timer {
    return this.#base.after(ms, fn);
  }

  at(time: number, fn: () => void): Timer {
    let timer: Timer;
    // It may be found meanwhile that it is later, or earlier.
    const wait = (): void => {
      const left = time - this.now();
      timer = this.#base.after(Math.min(Math.max(0, left), LOOK_MS), () =>
        this.now() >= time ? fn() : wait(),
      );
    };
    wait();
    return { cancel: () => timer.cancel() };
  }

  /** Asks now, and from now on; returns how to stop. */
  async follow(database: Database, log: Log): Promise<() => void> {
    await this.#ask(database, log);
    let stopped = false;
    let timer: Timer | undefined;
    const later = (): void => {
      timer?.cancel();
      if (!stopped) timer = this.#base.after(LOOK_MS, look);
    };
    const look = (): void => {
      this.#ask(database, log)
        // A store that is away is told elsewhere.
        .catch((error: unknown) => log.debug('store_clock_unknown', errorFields(error)))
        .finally(later);
    };
    later();
    this.#look = look;
    return () => {
      stopped = true;
      this.#look = () => {};
      timer?.cancel();
    };
  }

  async #ask(database: Database, log: Log): Promise<void> {
    const asked = this.#base.monotonic();
    const told = await storeTime(database.read);
    if (told === undefined) return;
    const tookMs = this.#base.monotonic() - asked;
    const uncertain = AGREED_MS + tookMs;
    const late = told + tookMs / 2 - this.now();
    if (Math.abs(late) > uncertain) this.#start += late;
    const differs = Math.round(this.#base.now() - this.now());
    if (Math.abs(differs - this.#differs) <= uncertain) return;
    this.#differs = differs;
    log.warn('clock_differs', { milliseconds: differs });
  }
}

/** By the clock of PostgreSQL. */
export async function storeTime(reader: Reader): Promise<number | undefined> {
  return await reader.value<number>(
    sql`SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS float8) AS now`,
  );
}
