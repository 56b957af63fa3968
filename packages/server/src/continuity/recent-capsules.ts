import type { Capsule } from '@parley/protocol/continuity/capsule';

/** What this process wrote last, by revision. A revision never changes, so nothing here can be out of date. */
export class RecentCapsules {
  readonly #most: number;
  readonly #known = new Map<number, Capsule>();

  constructor(most = 256) {
    this.#most = most;
  }

  get(revisionId: number | null): Capsule | undefined {
    return revisionId === null ? undefined : this.#known.get(revisionId);
  }

  /** Only after the commit: a number that was rolled back is given out again. */
  put(revisionId: number, capsule: Capsule): void {
    this.#known.set(revisionId, capsule);
    if (this.#known.size <= this.#most) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  forget(revisionId: number | null): void {
    if (revisionId !== null) this.#known.delete(revisionId);
  }
}
