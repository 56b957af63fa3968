import type { Eventually } from '../eventually.ts';
import { type LimitVerdict, PASSED } from './limiter.ts';

const RETRY_AFTER_SECONDS = 3;

/** How many may be there at once for one key: streams that are open, say. */
export interface Slots {
  /** Takes one; whoever has it gives it back. */
  take(key: string): Eventually<LimitVerdict>;
  release(key: string): void;
}

export const NO_SLOT: LimitVerdict = { ok: false, retryAfterSec: RETRY_AFTER_SECONDS };

/** What is held per key; a key that holds nothing is forgotten. */
export class HeldSlots {
  readonly #held = new Map<string, number>();

  /** How many there are now for the key. */
  change(key: string, by: 1 | -1): number {
    const held = Math.max(0, this.of(key) + by);
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
    return held;
  }

  of(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  get size(): number {
    return this.#held.size;
  }

  get keys(): readonly string[] {
    return [...this.#held.keys()];
  }
}

/** Those of a server that is alone. */
export class MemorySlots implements Slots {
  readonly #limit: number;
  readonly #held = new HeldSlots();

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(key: string): LimitVerdict {
    if (this.#held.of(key) >= this.#limit) return NO_SLOT;
    this.#held.change(key, 1);
    return PASSED;
  }

  release(key: string): void {
    this.#held.change(key, -1);
  }
}

export const UNLIMITED_SLOTS: Slots = { take: () => PASSED, release: () => {} };
