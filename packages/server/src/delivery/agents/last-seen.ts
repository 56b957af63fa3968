import type { Clock, Timer } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { touchSeen } from './agent-store.ts';

export interface LastSeenOptions {
  database: Database;
  clock: Clock;
  onError: (error: unknown) => void;
}

const EVERY_MS = 5_000;
/** Agents written in one transaction; a longer list is cut, so that no writer waits long for it. */
const BATCH = 500;

/** When agents last did something: gathered in memory and written together, so that no request waits for it. */
export class LastSeen {
  readonly #options: LastSeenOptions;
  #noted = new Map<string, number>();
  /** Of the last round: a request that read its row just before that commit still finds here what it missed. */
  #written = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(options: LastSeenOptions) {
    this.#options = options;
  }

  note(suffix: string): void {
    const { clock } = this.#options;
    this.#noted.set(suffix, clock.now());
    this.#timer ??= clock.after(EVERY_MS, () => void this.write());
  }

  /** What is stored, or what is noted here and not written yet. */
  latest(suffix: string, stored: number | null): number | null {
    const noted = this.#noted.get(suffix) ?? this.#written.get(suffix) ?? null;
    return noted === null || (stored !== null && stored > noted) ? stored : noted;
  }

  /** Also called at the end, so that a stop loses nothing. */
  async write(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#written = new Map();
    // In the order of suffixes: two nodes that write the same agents must not wait for each other.
    const noted = [...this.#noted].toSorted(([a], [b]) => (a < b ? -1 : 1));
    try {
      for (let from = 0; from < noted.length; from += BATCH)
        await this.#writeBatch(noted.slice(from, from + BATCH));
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #writeBatch(batch: readonly (readonly [string, number])[]): Promise<void> {
    await this.#options.database.write(async (tx) => {
      for (const [suffix, at] of batch) await touchSeen(tx, suffix, at);
    });
    for (const [suffix, at] of batch) {
      this.#written.set(suffix, at);
      if (this.#noted.get(suffix) === at) this.#noted.delete(suffix);
    }
  }
}
