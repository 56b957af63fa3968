import { wholeSeconds } from '../continuity/capsule/instant.ts';
import type { Journal } from '../continuity/journal.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Platform } from '../platform.ts';
import { pathOf } from './artifact.ts';
import { answeredBefore, type ArtifactRow, removeArtifact } from './artifact-store.ts';

const JOB = 'coordination.forget_handoffs';
const DAY_MS = 86_400_000;
const AT_ONCE = 200;
/** After every time there is. */
const LAST = '9999-12-31T23:59:59Z';

interface Parts extends Pick<Platform, 'database' | 'clock' | 'jobs'> {
  readonly journal: Journal;
}

/** Handoffs that were answered are of use for a while. One that waits is kept, however long that takes. */
export class HandoffRetention {
  readonly #parts: Parts;
  readonly #keptMs: number;

  /** 0 days: for ever. */
  constructor(parts: Parts, days: number) {
    this.#parts = parts;
    this.#keptMs = days * DAY_MS;
    parts.jobs.define(JOB, {
      concurrency: 1,
      handler: async ({ retryAt }) => {
        const next = await this.#sweep();
        if (next !== undefined) retryAt(next);
      },
    });
  }

  /** To be called with the answer of one. */
  async answered(tx: Tx, createdAt: string): Promise<void> {
    if (this.#keptMs === 0) return;
    await this.#parts.jobs.enqueue(tx, JOB, {}, { key: 'all', dueAt: this.#endOf(createdAt) });
  }

  #endOf(createdAt: string): number {
    return Date.parse(createdAt) + this.#keptMs + 1_000;
  }

  /** When the next ones are due; undefined when none was answered. */
  async #sweep(): Promise<number | undefined> {
    const { database, clock } = this.#parts;
    if (this.#keptMs === 0) return undefined;
    const now = clock.now();
    const due = await answeredBefore(database.read, wholeSeconds(now - this.#keptMs), AT_ONCE);
    if (due.length > 0) await database.write((tx) => this.#forget(tx, due, now));
    if (due.length === AT_ONCE) return now;
    const [next] = await answeredBefore(database.read, LAST, 1);
    return next && this.#endOf(next.sorted_at);
  }

  async #forget(tx: Tx, rows: readonly ArtifactRow[], now: number): Promise<void> {
    for (const row of rows) {
      const { owner_id: ownerId, artifact_id: id } = row;
      await removeArtifact(tx, row);
      await this.#parts.journal.remove(tx, {
        ownerId,
        kind: 'handoff',
        slug: id,
        operation: 'coordination.handoff_forget',
        path: pathOf('handoff', id),
        now,
        peerId: 'self',
        commitMessage: `coordination: forget ${id}`,
      });
    }
  }
}
