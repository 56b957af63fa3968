import type { Tx } from '../../platform/database/database.ts';
import type { EventLog } from '../../platform/streams/event-log.ts';
import { columnText } from './artifact.ts';
import { commitId } from './commit-id.ts';
import { type InsertedRevision, insertRevision, type Operation } from './revision-store.ts';

/** One durable change of an owner's memory. */
export interface MemoryChange {
  readonly ownerId: string;
  /** A kind of subject, `plan`, or what another module keeps. */
  readonly kind: string;
  readonly slug: string;
  /** As it is spelled there. What is about no subject nobody is told of. */
  readonly subjectId: string | undefined;
  readonly operation: Operation;
  readonly path: string;
  readonly removedPaths?: readonly string[];
  readonly updatedAt?: string;
  readonly now: number;
  readonly peerId: string;
  readonly commitMessage: string;
  readonly reason?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly sha256?: string | undefined;
  readonly document?: string;
  readonly raw?: Uint8Array;
}

/** A change whose revision is written, and nobody told yet. */
export interface RecordedChange {
  readonly change: MemoryChange;
  readonly revision: InsertedRevision;
  /** How callers name the revision. */
  readonly commit: string;
}

/**
 * The revision of a change, then what it is about, then the event, which comes last: who holds the owner's events waits for
 * nobody, and they stand in the order of commits.
 */
export async function recordChange(
  memory: { readonly events: EventLog },
  tx: Tx,
  change: MemoryChange,
  store?: (revision: InsertedRevision) => Promise<void>,
): Promise<RecordedChange> {
  const recorded = await recordRevision(tx, change);
  await store?.(recorded.revision);
  await announce(memory, tx, recorded);
  return recorded;
}

/** For a transaction of many changes: all are announced at its end. */
export async function recordRevision(tx: Tx, change: MemoryChange): Promise<RecordedChange> {
  const revision = await insertRevision(tx, {
    owner_id: change.ownerId,
    kind: change.kind,
    slug: change.slug,
    operation: change.operation,
    path: change.path,
    removed_paths: change.removedPaths ? JSON.stringify(change.removedPaths) : null,
    updated_at: change.updatedAt ?? null,
    recorded_at: change.now,
    peer_id: change.peerId,
    commit_message: columnText(change.commitMessage),
    reason: textOrNull(change.reason),
    idempotency_key: textOrNull(change.idempotencyKey),
    sha256: change.sha256 ?? null,
    document: change.document ?? null,
    raw: change.raw ?? null,
  });
  return { change, revision, commit: commitId(change.ownerId, revision.id) };
}

const textOrNull = (text: string | undefined): string | null =>
  text === undefined ? null : columnText(text);

/** What changed, never what it says. */
export async function announce(
  { events }: { readonly events: EventLog },
  tx: Tx,
  { change, revision }: RecordedChange,
): Promise<void> {
  if (change.subjectId === undefined) return;
  const event = {
    subject_kind: change.kind,
    subject_id: change.subjectId,
    operation: change.operation,
    path: change.path,
    revision: revision.number,
    capsule_sha256: change.sha256 ?? null,
    peer_id: change.peerId,
  };
  await events.append(tx, eventTopic(change.ownerId), event, change.now);
}

export const eventTopic = (ownerId: string): string => `continuity:${ownerId}`;
