import { toldLimit } from '../../platform/limits/limiter.ts';
import { rateLimited } from '../../wire/rooms/errors.ts';

const RETRY_AFTER_SECONDS = 3;

/** How many streams may be open at once for one key. A slot is free again as soon as its stream is over. */
export class StreamSlots {
  readonly #limit: number;
  readonly #told: string;
  readonly #taken = new Map<string, number>();

  /** `setting` is what the limit can be changed with. */
  constructor(limit: number, setting: string) {
    this.#limit = limit;
    this.#told = toldLimit(limit, undefined, setting);
  }

  take(key: string): void {
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#limit) throw rateLimited({ retryAfterSec: RETRY_AFTER_SECONDS, told: this.#told });
    this.#taken.set(key, taken + 1);
  }

  release(key: string): void {
    const taken = this.#taken.get(key) ?? 0;
    if (taken > 1) this.#taken.set(key, taken - 1);
    else this.#taken.delete(key);
  }
}
