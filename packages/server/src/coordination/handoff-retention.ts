import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { Journal } from '../continuity/journal.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Platform } from '../platform.ts';
import { pathOf } from './artifact.ts';
import { answeredBefore, type FilingRow, dropFiling } from './artifact-store.ts';
import { DAY } from '../platform/units.ts';

const JOB = 'coordination.forget_handoffs';
const AT_ONCE = 200;
/** After every time there is. */
const LAST = '9999-12-31T23:59:59Z';

/** Handoffs that were answered are of use for a while, 0 days: for ever. One that waits is kept, however long that takes. */
export function handoffRetention({ clock, jobs }: Platform, journal: Journal, days: number) {
  const keptMs = days * DAY;
  const endOf = (createdAt: string): number => Date.parse(createdAt) + keptMs + 1_000;

  jobs.defineWrite(JOB, async (tx) => {
    if (keptMs === 0) return undefined;
    const now = clock.now();
    const due = await answeredBefore(tx, isoSeconds(now - keptMs), AT_ONCE);
    await forget(journal, tx, due, now);
    if (due.length === AT_ONCE) return now;
    await jobs.settleKey(tx, JOB, 'all');
    const [next] = await answeredBefore(tx, LAST, 1);
    return next && endOf(next.sorted_at);
  });
  return {
    /** To be called with the answer of one. */
    async answered(tx: Tx, createdAt: string): Promise<void> {
      if (keptMs > 0) await jobs.enqueue(tx, JOB, {}, { key: 'all', dueAt: endOf(createdAt) });
    },
  };
}

async function forget(journal: Journal, tx: Tx, rows: readonly FilingRow[], now: number): Promise<void> {
  for (const row of rows) {
    const { owner_id: ownerId, artifact_id: id } = row;
    await dropFiling(tx, row);
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
