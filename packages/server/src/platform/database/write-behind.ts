import type { Timer } from '../clock.ts';
import type { Parts } from '../parts.ts';
import type { Tx } from './database.ts';

export interface WriteBehindOptions<Value> extends Pick<Parts, 'clock' | 'database'> {
  /** How long what is noted may lie in memory. */
  readonly everyMs: number;
  /** Stores a batch, in the order of keys, with one statement. It may come a second time. */
  readonly store: (tx: Tx, batch: ReadonlyMap<string, Value>) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Written in one transaction; a longer list is cut, so that no writer waits long for it. */
const BATCH = 500;

/**
 * Small facts of which only the latest counts: gathered in memory and written together, so that no request waits for it. A
 * crash loses what was not written yet; what cannot be written is kept for the next round.
 */
export class WriteBehind<Value> {
  readonly #options: WriteBehindOptions<Value>;
  readonly #noted = new Map<string, Value>();
  /** Of the last round: a request that read its row just before that commit still finds here what it missed. */
  #written = new Map<string, Value>();
  #timer: Timer | undefined;

  constructor(options: WriteBehindOptions<Value>) {
    this.#options = options;
  }

  note(key: string, value: Value): void {
    this.#noted.set(key, value);
    this.#timer ??= this.#options.clock.after(this.#options.everyMs, () => void this.close());
  }

  /** What is noted and not written yet, or only just. */
  latest(key: string): Value | undefined {
    return this.#noted.get(key) ?? this.#written.get(key);
  }

  async write(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#written = new Map();
    // In one order everywhere: two nodes that write the same things should not wait for each other.
    const noted = [...this.#noted].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (let from = 0; from < noted.length; from += BATCH) {
      await this.#writeBatch(new Map(noted.slice(from, from + BATCH)));
    }
  }

  /** Writes what there is, so that a stop loses nothing. Never rejects. */
  async close(): Promise<void> {
    await this.write().catch(this.#options.onError);
  }

  async #writeBatch(batch: ReadonlyMap<string, Value>): Promise<void> {
    const { database, store } = this.#options;
    await database.write((tx) => store(tx, batch));
    for (const [key, value] of batch) {
      this.#written.set(key, value);
      if (this.#noted.get(key) === value) this.#noted.delete(key);
    }
  }
}
