import { rateLimited } from '../../wire/rooms/errors.ts';

const RETRY_AFTER_SECONDS = 3;

/** How many streams may be open at once for one key. A slot is free again as soon as its stream is over. */
export class StreamSlots {
  readonly #limit: number;
  readonly #taken = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(key: string): void {
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#limit) throw rateLimited(RETRY_AFTER_SECONDS);
    this.#taken.set(key, taken + 1);
  }

  release(key: string): void {
    const taken = this.#taken.get(key) ?? 0;
    if (taken > 1) this.#taken.set(key, taken - 1);
    else this.#taken.delete(key);
  }
}
