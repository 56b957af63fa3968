import { type Clock, systemClock, type Timer } from '../clock.ts';
import type { Database, Reader } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { errorFields, type Log } from '../log.ts';

const LOOK_MS = 10_000;
/** What asking takes makes the answer uncertain: below this the clocks agree, and time is not moved to and fro. */
const AGREED_MS = 100;

/**
 * The time of the database that nodes share. Machines disagree by minutes at times; whoever runs ahead would fire cues early and
 * hold leases for too long. So every node goes by the clock of the store, which it asks at its start and every ten seconds.
 */
export class StoreClock implements Clock {
  readonly #base: Clock;
  #offset = 0;

  constructor(base: Clock = systemClock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.#offset;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  after(ms: number, fn: () => void): Timer {
    return this.#base.after(ms, fn);
  }

  at(time: number, fn: () => void): Timer {
    let timer: Timer;
    const wait = (): void => {
      // It may have been found meanwhile that it is not that late yet.
      timer = this.#base.at(time - this.#offset, () => (this.now() >= time ? fn() : wait()));
    };
    wait();
    return { cancel: () => timer.cancel() };
  }

  /** Asks now, and from now on; returns how to stop. */
  async follow(database: Database, log: Log): Promise<() => void> {
    await this.#ask(database, log);
    let timer: Timer;
    const later = (): void => {
      timer = this.#base.after(LOOK_MS, () => {
        this.#ask(database, log)
          // A store that is away is told elsewhere.
          .catch((error: unknown) => log.debug('store_clock_unknown', errorFields(error)))
          .finally(later);
      });
    };
    later();
    return () => timer.cancel();
  }

  async #ask(database: Database, log: Log): Promise<void> {
    const asked = this.#base.monotonic();
    const told = await storeTime(database.read);
    if (told === undefined) return;
    const tookMs = this.#base.monotonic() - asked;
    const offset = told + tookMs / 2 - this.#base.now();
    if (Math.abs(offset - this.#offset) <= AGREED_MS + tookMs) return;
    this.#offset = Math.round(offset);
    log.warn('clock_differs', { milliseconds: -this.#offset });
  }
}

/** By the clock of PostgreSQL. */
export async function storeTime(reader: Reader): Promise<number | undefined> {
  return await reader.value<number>(
    sql`SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS float8) AS now`,
  );
}
