import type { Clock, Timer } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Mark, putMark } from './read-mark-store.ts';
import type { Subject } from '../capsule/subject.ts';

const EVERY_MS = 5_000;
const BATCH = 500;

/** When each subject was last read: gathered in memory and written in batches, never on the way of a read. */
export class ReadMarks {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #noted = new Map<string, Mark>();
  #timer: Timer | undefined;

  constructor(database: Database, clock: Clock, onError: (error: unknown) => void) {
    this.#database = database;
    this.#clock = clock;
    this.#onError = onError;
  }

  note(ownerId: string, { kind, slug }: Pick<Subject, 'kind' | 'slug'>, at: number): void {
    this.#noted.set(`${ownerId}/${kind}/${slug}`, { ownerId, kind, slug, at });
    this.#timer ??= this.#clock.after(EVERY_MS, () => void this.write().catch(this.#onError));
  }

  /** Before a plan looks at them, and at the end. */
  async write(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    // In one order everywhere: two nodes that write the same marks must not wait for each other.
    const noted = [...this.#noted].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, mark]) => mark);
    this.#noted = new Map();
    for (let from = 0; from < noted.length; from += BATCH) {
      const batch = noted.slice(from, from + BATCH);
      await this.#database.write(async (tx) => {
        for (const mark of batch) await putMark(tx, mark);
      });
    }
  }
}
