export interface SlowStatement {
  readonly text: string;
  readonly count: number;
  readonly totalMs: number;
  readonly longestMs: number;
  readonly lastAt: number;
}

/** Quicker ones are not worth a look, and cost nothing more than reading the clock. */
const SLOW_MS = 5;
const KEPT = 100;
const LONGEST_TEXT = 600;

/** The slowest statements since the start, with their texts as they were prepared: values are in none of them. */
export class SlowStatements {
  readonly #known = new Map<string, SlowStatement>();

  /** `began` by `performance.now()`. */
  note(text: () => string, began: number): void {
    const now = performance.now();
    const ms = now - began;
    if (ms < SLOW_MS) return;
    const name = text().replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT);
    const before = this.#known.get(name);
    this.#known.set(name, {
      text: name,
      count: (before?.count ?? 0) + 1,
      totalMs: (before?.totalMs ?? 0) + ms,
      longestMs: Math.max(before?.longestMs ?? 0, ms),
      lastAt: performance.timeOrigin + now,
    });
    if (this.#known.size > KEPT) this.#forgetQuickest();
  }

  slowest(most: number): SlowStatement[] {
    return [...this.#known.values()].toSorted((a, b) => b.longestMs - a.longestMs).slice(0, most);
  }

  #forgetQuickest(): void {
    const [quickest] = [...this.#known.values()].toSorted((a, b) => a.longestMs - b.longestMs);
    if (quickest) this.#known.delete(quickest.text);
  }
}
