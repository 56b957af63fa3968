import type { Tx } from '../../../platform/database/database.ts';

const REMEMBERED = 100_000;

/** Cues for which there is a job for sure, and until when: nothing that happens to one has to make it meanwhile. */
export class WatchedCues {
  readonly #until = new Map<string, number>();

  has(cueId: string, now: number): boolean {
    return (this.#until.get(cueId) ?? 0) > now;
  }

  /** The transaction makes the job. */
  add(tx: Tx, cueId: string, dueAt: number): void {
    tx.afterCommit(() => {
      if (this.#until.size >= REMEMBERED) this.#until.clear();
      this.#until.set(cueId, dueAt);
    });
  }
}
