import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Tx } from '../../platform/database/database.ts';
import { ACTIVE, columnsOf, FALLBACK } from '../artifacts/artifact.ts';
import { type HeadRow, putArtifact, putTerms, removeArtifact } from '../artifacts/artifact-store.ts';
import { commitId } from '../artifacts/commit-id.ts';
import { type MemoryContext, eventTopic } from '../memory-context.ts';
import { lostLifecycle } from '../artifacts/ended-thread.ts';
import { activePath } from '../artifacts/paths.ts';
import {
  insertRevision,
  type InsertedRevision,
  type Operation,
  pruneRevisions,
} from '../artifacts/revision-store.ts';
import type { Subject } from '../capsule/subject.ts';

export interface CapsuleWrite {
  readonly ownerId: string;
  readonly subject: Subject;
  readonly operation: Operation;
  readonly capsule: Capsule;
  readonly canonical: string;
  readonly sha256: string;
  readonly now: number;
  readonly peerId: string;
  readonly commitMessage: string;
  readonly reason?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** What stood there before. */
  readonly replaced: HeadRow | undefined;
}

export interface WrittenCapsule {
  readonly revision: InsertedRevision;
  readonly commit: string;
}

/** What these write was stored before, and no rule has looked at it since. */
const UNCHECKED: ReadonlySet<Operation> = new Set(['lifecycle', 'restore']);

/** The active capsule, its fallback, its revision and its event: all of it or nothing. */
export async function writeCapsule(
  memory: MemoryContext,
  tx: Tx,
  write: CapsuleWrite,
): Promise<WrittenCapsule> {
  const { ownerId, subject, capsule, sha256, now } = write;
  const { kind, slug } = subject;
  const path = activePath(subject);
  const revision = await insertRevision(tx, ownerId, {
    kind,
    slug,
    operation: write.operation,
    path,
    updatedAt: capsule.updated_at,
    recordedAt: now,
    peerId: write.peerId,
    commitMessage: write.commitMessage,
    reason: write.reason,
    idempotencyKey: write.idempotencyKey,
    sha256,
    document: write.canonical,
  });
  const columns = columnsOf(capsule, sha256, {
    lostLifecycle: lostLifecycle(capsule, write.replaced),
  });
  const active = { state: ACTIVE, kind, slug, stamp: '' };
  await putTerms(tx, ownerId, active, write.replaced?.terms ?? '[]', columns.terms);
  await putArtifact(tx, ownerId, active, columns, { revisionId: revision.id, hasSnapshot: true });
  // From now on the active capsule is its own fallback: an older one goes.
  if (write.replaced?.has_snapshot !== 1) await removeArtifact(tx, ownerId, { ...active, state: FALLBACK });
  const { revisionsKept } = memory.settings;
  if (revision.number > revisionsKept) {
    // One more than is shown, so that the oldest shown can still be compared with the one before; the active capsule points at
    // the newest now, and nothing else at any. At every write: the next one takes over the pages that this one gives up, and
    // they go to disk once.
    await pruneRevisions(tx, ownerId, subject, revision.number - revisionsKept);
  }
  await announce(memory, tx, {
    ownerId,
    subject: { kind, id: capsule.subject_id },
    operation: write.operation,
    path,
    revision: revision.number,
    sha256,
    peerId: write.peerId,
    now,
  });
  tx.afterCommit(() => {
    memory.recent.forget(write.replaced?.revision_id ?? null);
    if (!UNCHECKED.has(write.operation)) memory.recent.put(revision.id, capsule);
  });
  return { revision, commit: commitId(ownerId, revision.id) };
}

export interface Announcement {
  readonly ownerId: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly operation: Operation;
  readonly path: string;
  readonly revision: number;
  readonly sha256: string | null;
  readonly peerId: string;
  readonly now: number;
}

/** What changed, never what it says. The last step of a write: events of an owner stand in the order of commits. */
export async function announce(
  memory: Pick<MemoryContext, 'events'>,
  tx: Tx,
  change: Announcement,
): Promise<void> {
  await memory.events.append(
    tx,
    eventTopic(change.ownerId),
    {
      subject_kind: change.subject.kind,
      subject_id: change.subject.id,
      operation: change.operation,
      path: change.path,
      revision: change.revision,
      capsule_sha256: change.sha256,
      peer_id: change.peerId,
    },
    change.now,
  );
}
