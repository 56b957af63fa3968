import type { Clock } from '../clock.ts';
import type { Reader } from '../database/database.ts';
import { ForgetfulTable } from './forgetful-table.ts';

const FRESH_MS = 60_000;

interface Known {
  count: number;
  readonly countedAt: number;
}

/**
 * How much of something each owner has: counted in the store now and then, and in memory in between. It stops a program gone
 * wild at a bound, within what others add in a minute; it is no bill.
 */
export class RoughCount {
  readonly #clock: Clock;
  readonly #count: (reader: Reader, ownerId: string) => Promise<number>;
  readonly #known = new ForgetfulTable<Known>(({ countedAt }, now) => now - countedAt >= FRESH_MS);

  constructor(clock: Clock, count: (reader: Reader, ownerId: string) => Promise<number>) {
    this.#clock = clock;
    this.#count = count;
  }

  /** Counts `more` in when there is room below `limit`; else says how much there is, counted anew. */
  async take(reader: Reader, ownerId: string, more: number, limit: number): Promise<number | undefined> {
    const now = this.#clock.now();
    const known = this.#known.get(ownerId);
    const fresh = known !== undefined && now - known.countedAt < FRESH_MS;
    if (fresh && known.count + more <= limit) {
      known.count += more;
      return undefined;
    }
    const count = await this.#count(reader, ownerId);
    const fits = count + more <= limit;
    this.#known.set(ownerId, { count: fits ? count + more : count, countedAt: now }, now);
    return fits ? undefined : count;
  }
}
