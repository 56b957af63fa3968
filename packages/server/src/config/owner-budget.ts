import type { Clock } from '../platform/clock.ts';
import type { Reader } from '../platform/database/database.ts';
import { headed } from '../platform/database/table.ts';
import { ForgetfulTable } from '../platform/limits/forgetful-table.ts';
import type { Budget } from './budgets.ts';

type Counter = (reader: Reader, ownerId: string) => Promise<number>;

const FRESH_MS = 60_000;

interface Known {
  /** How much may be added before it is counted anew. */
  room: number;
  readonly countedAt: number;
}

/**
 * How much of one kind each owner has, over all modules that keep some of it: each counts its own, in the store now and then, and in
 * memory it is counted in between. Of what was free each node gives away its share before it counts anew, so that all together stay
 * within the budget, but for what was under way in that moment. It stops a program gone wild at a bound; it is no bill.
 */
export class OwnerBudget {
  readonly budget: Budget;
  readonly #clock: Clock;
  readonly #nodes: () => number;
  readonly #counters: Counter[] = [];
  readonly #known = new ForgetfulTable<Known>(({ countedAt }, now) => now - countedAt >= FRESH_MS);

  constructor(clock: Clock, budget: Budget, nodes: () => number) {
    this.#clock = clock;
    this.budget = budget;
    this.#nodes = nodes;
  }

  add(counter: Counter): void {
    this.#counters.push(counter);
  }

  /** Each row of a table counts. */
  addRows({ name }: { readonly name: string }): void {
    const counted = headed(`SELECT count(*) AS count FROM ${name}`);
    this.add((reader, ownerId) => reader.total(counted`WHERE owner_id = ${ownerId}`));
  }

  async count(reader: Reader, ownerId: string): Promise<number> {
    let sum = 0;
    for (const counter of this.#counters) sum += await counter(reader, ownerId);
    return sum;
  }

  /** Counts `more` in when the budget has room for it; else says how much there is, counted anew. */
  async take(reader: Reader, ownerId: string, more: number): Promise<number | undefined> {
    const { limit } = this.budget;
    if (limit === null) return undefined;
    const now = this.#clock.now();
    const known = this.#known.get(ownerId);
    const fresh = known !== undefined && now - known.countedAt < FRESH_MS;
    if (fresh && more <= known.room) {
      known.room -= more;
      return undefined;
    }
    const count = await this.count(reader, ownerId);
    const fits = count + more <= limit;
    const free = fits ? limit - count - more : 0;
    this.#known.set(ownerId, { room: free / this.#nodes(), countedAt: now }, now);
    return fits ? undefined : count;
  }
}
