import type { Clock } from '../clock.ts';
import { keepNewest } from '../newest.ts';
import type { Parts } from '../parts.ts';

export interface RememberedOptions extends Pick<Parts, 'clock' | 'database'> {
  /** Everything that the values are read from. A commit that writes to one of them makes all values be read again. */
  readonly tables: readonly string[];
  /** Values kept; beyond that the oldest go. */
  readonly most: number;
}

interface Kept<Value> {
  readonly value: Value;
  readonly readAt: number;
}

/** On a store that other processes write to, nothing is believed for longer. */
const SHARED_STORE_MS = 1_000;

/**
 * Rows that are asked for with every request and hardly ever change.
 *
 *   asked ──► kept ──► answered from memory
 *     │         ▲  └─► a commit of this process wrote to a table of it: all is forgotten before that commit's caller goes on
 *     │         │  └─► read more than a second ago, on a store with other writers: read again
 *     └─► read ─┘ unless a commit came in between: then what was read may be from before it, and is answered but not kept
 *
 * What is not there is not kept: whoever makes up keys fills no memory. Only for what is read outside of transactions; what
 * a write decides by, it reads itself.
 */
export class Remembered<Value extends string | object> {
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #most: number;
  readonly #clock: Clock;
  readonly #believedMs: number;
  #version = 0;

  constructor({ database, clock, tables, most }: RememberedOptions) {
    this.#most = most;
    this.#clock = clock;
    this.#believedMs = database.dialect === 'postgres' ? SHARED_STORE_MS : Number.POSITIVE_INFINITY;
    database.changes.watch(tables, () => this.#forget());
  }

  async get(key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const readAt = this.#clock.monotonic();
    const kept = this.#kept.get(key);
    if (kept && readAt - kept.readAt < this.#believedMs) return kept.value;
    const version = this.#version;
    const value = await read();
    if (value !== undefined && version === this.#version)
      keepNewest(this.#kept, key, { value, readAt }, this.#most);
    return value;
  }

  #forget(): void {
    this.#version += 1;
    this.#kept.clear();
  }
}
