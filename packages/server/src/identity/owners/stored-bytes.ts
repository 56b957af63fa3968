import type { Budget } from '../../config/budgets.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Reader } from '../../platform/database/database.ts';
import { RoughCount } from '../../platform/limits/rough-count.ts';

/** What one kind of text of an owner takes up. */
export type ByteCounter = (reader: Reader, ownerId: string) => Promise<number>;

/** The texts an owner has stored, of all protocols together: each module that keeps some counts its own. */
export class StoredBytes {
  readonly budget: Budget;
  readonly #counters: ByteCounter[] = [];
  readonly #rough: RoughCount;

  constructor(clock: Clock, budget: Budget, nodes: () => number) {
    this.budget = budget;
    this.#rough = new RoughCount(clock, (reader, ownerId) => this.count(reader, ownerId), nodes);
  }

  add(counter: ByteCounter): void {
    this.#counters.push(counter);
  }

  async count(reader: Reader, ownerId: string): Promise<number> {
    let bytes = 0;
    for (const counter of this.#counters) bytes += await counter(reader, ownerId);
    return bytes;
  }

  /** Counts `more` in when the budget has room for it; else says how much there is. */
  async take(reader: Reader, ownerId: string, more: number): Promise<number | undefined> {
    const { limit } = this.budget;
    return limit === null ? undefined : await this.#rough.take(reader, ownerId, more, limit);
  }
}
