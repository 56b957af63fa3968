import { wholeSeconds } from '../continuity/capsule/instant.ts';
import type { Journal } from '../continuity/journal.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Platform } from '../platform.ts';
import { pathOf } from './artifact.ts';
import { answeredBefore, type ArtifactRow, removeArtifact } from './artifact-store.ts';
import { DAY } from '../platform/units.ts';

const JOB = 'coordination.forget_handoffs';
const AT_ONCE = 200;
/** After every time there is. */
const LAST = '9999-12-31T23:59:59Z';

/** Handoffs that were answered are of use for a while, 0 days: for ever. One that waits is kept, however long that takes. */
export function handoffRetention({ database, clock, jobs }: Platform, journal: Journal, days: number) {
  const keptMs = days * DAY;
  const endOf = (createdAt: string): number => Date.parse(createdAt) + keptMs + 1_000;

  /** When the next ones are due; undefined when none was answered. */
  const sweep = async (): Promise<number | undefined> => {
    if (keptMs === 0) return undefined;
    const now = clock.now();
    const due = await answeredBefore(database.read, wholeSeconds(now - keptMs), AT_ONCE);
    if (due.length > 0) await database.write((tx) => forget(journal, tx, due, now));
    if (due.length === AT_ONCE) return now;
    const [next] = await answeredBefore(database.read, LAST, 1);
    return next && endOf(next.sorted_at);
  };
  jobs.define(JOB, {
    concurrency: 1,
    handler: async ({ retryAt }) => {
      const next = await sweep();
      if (next !== undefined) retryAt(next);
    },
  });
  return {
    /** To be called with the answer of one. */
    async answered(tx: Tx, createdAt: string): Promise<void> {
      if (keptMs > 0) await jobs.enqueue(tx, JOB, {}, { key: 'all', dueAt: endOf(createdAt) });
    },
  };
}

async function forget(journal: Journal, tx: Tx, rows: readonly ArtifactRow[], now: number): Promise<void> {
  for (const row of rows) {
    const { owner_id: ownerId, artifact_id: id } = row;
    await removeArtifact(tx, row);
    await journal.remove(tx, {
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
