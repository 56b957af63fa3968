import type { FileSet } from '../index/file-set.ts';

/** Numbers in a row beyond which those that are in use are kept by themselves. */
const SPARSE = 64;

/** What files are worth, by their numbers; what is worth nothing or less is not in it. */
export class Tally {
  readonly #first: number;
  readonly #sums: Float64Array | Map<number, number>;

  /** For all that is going to be added. */
  constructor(sets: readonly FileSet[]) {
    const used = sets.filter(({ size }) => size > 0);
    this.#first = Math.min(...used.map(({ first }) => first));
    const span = Math.max(...used.map(({ last }) => last)) - this.#first + 1;
    const entries = used.reduce((sum, { size }) => sum + size, 0);
    this.#sums = span > 0 && span <= SPARSE * entries ? new Float64Array(span) : new Map<number, number>();
  }

  addAll(set: FileSet, points: number): void {
    set.forEach((id) => this.add(id, points));
  }

  add(id: number, points: number): void {
    const sums = this.#sums;
    if (sums instanceof Map) sums.set(id, (sums.get(id) ?? 0) + points);
    else sums[id - this.#first] = (sums[id - this.#first] ?? 0) + points;
  }

  get(id: number): number {
    const sums = this.#sums;
    const sum = sums instanceof Map ? sums.get(id) : sums[id - this.#first];
    return Math.max(sum ?? 0, 0);
  }

  forEach(visit: (id: number, sum: number) => void): void {
    const sums = this.#sums;
    if (sums instanceof Map) {
      for (const [id, sum] of sums) if (sum > 0) visit(id, sum);
      return;
    }
    for (let at = 0; at < sums.length; at += 1) {
      const sum = sums[at] ?? 0;
      if (sum > 0) visit(this.#first + at, sum);
    }
  }

  /** How many files have each sum that there is. */
  sizes(): Map<number, number> {
    const sizes = new Map<number, number>();
    // Nearly all have one of a few sums, often the same as the one before.
    let last = 0;
    let count = 0;
    const note = (): void => void (count > 0 && sizes.set(last, (sizes.get(last) ?? 0) + count));
    this.forEach((_, sum) => {
      if (sum === last) {
        count += 1;
        return;
      }
      note();
      last = sum;
      count = 1;
    });
    note();
    return sizes;
  }

  /** Those worth at least `low` and at most `high`. */
  between(low: number, high: number): number[] {
    const ids: number[] = [];
    this.forEach((id, sum) => {
      if (sum >= low && sum <= high) ids.push(id);
    });
    return ids;
  }
}
