import type { Reader } from '../platform/database/database.ts';

type Counter = (reader: Reader, ownerId: string) => Promise<number>;

/** How many documents an owner has, or how much of them: each module that keeps some counts its own. */
export class DocumentCount {
  readonly #counters: Counter[];

  constructor(...counters: Counter[]) {
    this.#counters = counters;
  }

  add(counter: Counter): void {
    this.#counters.push(counter);
  }

  async of(reader: Reader, ownerId: string): Promise<number> {
    let sum = 0;
    for (const counter of this.#counters) sum += await counter(reader, ownerId);
    return sum;
  }
}
