import type { Tx } from '../platform/database/database.ts';
import { type MemoryChange, recordRevision } from './artifacts/record-change.ts';
import { type ForeignOperation, pruneRevisions } from './artifacts/revision-store.ts';
import { DAY } from '../platform/units.ts';

/** What another module did to a document it keeps among an owner's memory. Its writers take turns, whatever they do. */
export interface JournalEntry
  extends Pick<MemoryChange, 'ownerId' | 'kind' | 'slug' | 'path' | 'now' | 'peerId' | 'commitMessage'> {
  readonly operation: ForeignOperation;
  /** As it is from now on. */
  readonly document: string;
}

/** Older states of what is not a capsule can be looked up for at least this long. */
const KEPT_MS = 30 * DAY;

/**
 * Memory that is no capsule has the same history as capsules: one name for its newest state, one export, one mirror. Here other
 * modules write into it.
 */
export const createJournal = (kept: number, changed: (ownerId: string) => void) => ({
  /** That it is not there any more, nor anything it was. */
  async remove(tx: Tx, entry: Omit<JournalEntry, 'document'>): Promise<void> {
    const { ownerId, path } = entry;
    const { revision } = await recordRevision(tx, { ...entry, subjectId: undefined, removedPaths: [path] });
    await pruneRevisions(tx, ownerId, entry, revision.number);
    this.changed(tx, ownerId);
  },

  /** For what is recorded in another way. */
  changed(tx: Tx, ownerId: string): void {
    tx.afterCommit(() => changed(ownerId));
  },

  /** Returns the name of the owner's memory as it is after this change. */
  async record(tx: Tx, entry: JournalEntry): Promise<string> {
    const { revision, commit } = await recordRevision(tx, { ...entry, subjectId: undefined });
    if (revision.number > kept) {
      await pruneRevisions(tx, entry.ownerId, entry, revision.number - kept, entry.now - KEPT_MS);
    }
    this.changed(tx, entry.ownerId);
    return commit;
  },
});

export type Journal = ReturnType<typeof createJournal>;
