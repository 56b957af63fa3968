/**
 * A table that forgets what no longer matters. Every use looks at a few more entries than it can add, so the table
 * shrinks as fast as it grew without a timer and without a long pause.
 */
export class ForgetfulTable<Entry> {
  readonly #entries = new Map<string, Entry>();
  readonly #isForgettable: (entry: Entry, now: number) => boolean;
  #walk: MapIterator<[string, Entry]> | undefined;

  constructor(isForgettable: (entry: Entry, now: number) => boolean) {
    this.#isForgettable = isForgettable;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  set(key: string, entry: Entry, now: number): void {
    this.#forgetSome(now);
    this.#entries.set(key, entry);
  }

  forgetAll(now: number): void {
    for (const [key, entry] of this.#entries) {
      if (this.#isForgettable(entry, now)) this.#entries.delete(key);
    }
  }

  #forgetSome(now: number): void {
    this.#walk ??= this.#entries.entries();
    for (let step = 0; step < STEPS_PER_USE; step++) {
      const next = this.#walk.next();
      if (next.done) {
        this.#walk = undefined;
        return;
      }
      const [key, entry] = next.value;
      if (this.#isForgettable(entry, now)) this.#entries.delete(key);
    }
  }
}

const STEPS_PER_USE = 3;
