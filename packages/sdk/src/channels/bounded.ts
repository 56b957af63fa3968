/** A map that forgets its oldest entries, so that a noisy peer cannot make it grow. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number, entries: Iterable<readonly [string, Value]> = []) {
    this.#limit = limit;
    for (const [key, value] of entries) this.set(key, value);
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The newest `limit` entries, oldest first. */
  entries(limit = this.#limit): [string, Value][] {
    return [...this.#entries].slice(-limit);
  }
}
