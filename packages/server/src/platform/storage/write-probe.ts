import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** A load balancer may ask every second; a write each time would be work for nothing. */
const GOOD_FOR_MS = 3000;

/** Whether the store takes writes: it can answer every read while it cannot store a byte. */
export class WriteProbe {
  readonly #database: Database;
  readonly #clock: Clock;
  #latest: { readonly at: number; readonly outcome: Promise<void> } | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Throws when the last write, made a moment ago at most, did not work. */
  async check(): Promise<void> {
    const now = this.#clock.monotonic();
    if (this.#latest === undefined || now - this.#latest.at >= GOOD_FOR_MS) {
      this.#latest = { at: now, outcome: this.#write() };
    }
    await this.#latest.outcome;
  }

  /** The row is there since the first start; writing what it holds changes nothing and goes to the disk all the same. */
  async #write(): Promise<void> {
    await this.#database.write((tx) => tx.run(sql`UPDATE secret_key_check SET sealed = sealed WHERE id = 1`));
  }
}
