import type { Clock, Timer } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { setLastUsed } from './key-store.ts';

/** Keys written in one transaction; a longer list is cut, so that no writer waits long for it. */
const BATCH = 500;
const EVERY_MS = 60_000;

/** When each key was last used: gathered in memory and written at most once a minute, never on the way of a request. */
export class LastUsed {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #noted = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(database: Database, clock: Clock, onError: (error: unknown) => void) {
    this.#database = database;
    this.#clock = clock;
    this.#onError = onError;
  }

  note(keyId: string, at: number): void {
    this.#noted.set(keyId, at);
    this.#timer ??= this.#clock.after(EVERY_MS, () => void this.write());
  }

  /** Also called at the end, so that a stop loses nothing. */
  async write(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    const noted = [...this.#noted];
    this.#noted = new Map();
    try {
      for (let from = 0; from < noted.length; from += BATCH)
        await this.#writeBatch(noted.slice(from, from + BATCH));
    } catch (error) {
      this.#onError(error);
    }
  }

  /** In the order of ids: two nodes that write the same keys must not wait for each other. */
  async #writeBatch(batch: readonly (readonly [string, number])[]): Promise<void> {
    const inOrder = batch.toSorted(([a], [b]) => (a < b ? -1 : 1));
    await this.#database.write(async (tx) => {
      for (const [keyId, at] of inOrder) await setLastUsed(tx, keyId, at);
    });
  }
}
