import type { Clock } from '../platform/clock.ts';
import type { Reader } from '../platform/database/database.ts';
import { headed } from '../platform/database/table.ts';
import { RoughCount } from '../platform/limits/rough-count.ts';
import type { Budget } from './budgets.ts';

type Counter = (reader: Reader, ownerId: string) => Promise<number>;

/** How much of one kind each owner has, over all modules that keep some of it: each counts its own. */
export class OwnerBudget {
  readonly budget: Budget;
  readonly #counters: Counter[] = [];
  readonly #rough: RoughCount;

  constructor(clock: Clock, budget: Budget, nodes: () => number) {
    this.budget = budget;
    this.#rough = new RoughCount(clock, (reader, ownerId) => this.count(reader, ownerId), nodes);
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

  /** Counts `more` in when the budget has room for it; else says how much there is. */
  async take(reader: Reader, ownerId: string, more: number): Promise<number | undefined> {
    const { limit } = this.budget;
    return limit === null ? undefined : await this.#rough.take(reader, ownerId, more, limit);
  }
}
