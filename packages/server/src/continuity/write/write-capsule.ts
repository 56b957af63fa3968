import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Tx } from '../../platform/database/database.ts';
import { factsOf } from '../artifacts/artifact.ts';
import * as store from '../artifacts/artifact-store.ts';
import type { MemoryContext } from '../memory-context.ts';
import { lostLifecycle } from '../artifacts/ended-thread.ts';
import { activePath } from '../artifacts/paths.ts';
import { type MemoryChange, type RecordedChange, recordChange } from '../artifacts/record-change.ts';
import { type Operation, pruneRevisions } from '../artifacts/revision-store.ts';
import type { Subject } from '../capsule/subject.ts';

export interface CapsuleWrite
  extends Pick<
    MemoryChange,
    'ownerId' | 'operation' | 'now' | 'peerId' | 'commitMessage' | 'reason' | 'idempotencyKey'
  > {
  readonly subject: Subject;
  readonly capsule: Capsule;
  readonly canonical: string;
  readonly sha256: string;
  /** What stood there before. */
  readonly replaced: store.HeadRow | undefined;
}

/** What these write was stored before, and no rule has looked at it since. */
const UNCHECKED: ReadonlySet<Operation> = new Set(['lifecycle', 'restore']);

/** The active capsule, its fallback, its revision and its event: all of it or nothing. */
export async function writeCapsule(
  memory: MemoryContext,
  tx: Tx,
  write: CapsuleWrite,
): Promise<RecordedChange> {
  const { subject, capsule, canonical, replaced, ...how } = write;
  const { ownerId, operation, sha256 } = how;
  const { kind, slug } = subject;
  const change: MemoryChange = {
    ...how,
    kind,
    slug,
    subjectId: capsule.subject_id,
    path: activePath(subject),
    updatedAt: capsule.updated_at,
    document: canonical,
  };
  const recorded = await recordChange(memory, tx, change, async (revision) => {
    const facts = factsOf(capsule, sha256, { lostLifecycle: lostLifecycle(capsule, replaced) });
    const active = store.activeKey(subject);
    const content = { revision_id: revision.id, has_snapshot: 1 };
    await store.putArtifact(tx, ownerId, active, facts, content, replaced?.terms);
    // From now on the active capsule is its own fallback: an older one goes.
    if (replaced?.has_snapshot !== 1) await store.removeArtifact(tx, ownerId, store.fallbackKey(subject));
    const { revisionsKept } = memory.settings;
    if (revision.number > revisionsKept) {
      // One more than is shown, so that the oldest shown can still be compared with the one before; the active capsule points at
      // the newest now, and nothing else at any. At every write: the next one takes over the pages that this one gives up, and
      // they go to disk once.
      await pruneRevisions(tx, ownerId, subject, revision.number - revisionsKept);
    }
  });
  tx.afterCommit(() => {
    memory.recent.forget(replaced?.revision_id ?? null);
    if (!UNCHECKED.has(operation)) memory.recent.put(recorded.revision.id, capsule);
  });
  return recorded;
}
