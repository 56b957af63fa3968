import type { Clock } from '../clock.ts';
import type { Reader } from '../database/database.ts';
import { ForgetfulTable } from './forgetful-table.ts';

const FRESH_MS = 60_000;

interface Known {
  /** How much may be added before it is counted anew. */
  room: number;
  readonly countedAt: number;
}

/**
 * How much of something each owner has: counted in the store now and then, and in memory in between. Of what was free each node
 * gives away its share before it counts anew, so that all together stay within the limit, but for what was under way in that
 * moment. It stops a program gone wild at a bound; it is no bill.
 */
export class RoughCount {
  readonly #clock: Clock;
  readonly #count: (reader: Reader, ownerId: string) => Promise<number>;
  readonly #nodes: () => number;
  readonly #known = new ForgetfulTable<Known>(({ countedAt }, now) => now - countedAt >= FRESH_MS);

  constructor(
    clock: Clock,
    count: (reader: Reader, ownerId: string) => Promise<number>,
    nodes: () => number = () => 1,
  ) {
    this.#clock = clock;
    this.#count = count;
    this.#nodes = nodes;
  }

  /** Counts `more` in when there is room below `limit`; else says how much there is, counted anew. */
  async take(reader: Reader, ownerId: string, more: number, limit: number): Promise<number | undefined> {
    const now = this.#clock.now();
    const known = this.#known.get(ownerId);
    const fresh = known !== undefined && now - known.countedAt < FRESH_MS;
    if (fresh && more <= known.room) {
      known.room -= more;
      return undefined;
    }
    const count = await this.#count(reader, ownerId);
    const fits = count + more <= limit;
    const free = fits ? limit - count - more : 0;
    this.#known.set(ownerId, { room: free / this.#nodes(), countedAt: now }, now);
    return fits ? undefined : count;
  }
}
