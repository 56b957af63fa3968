import type { DeleteRequest } from '@parley/protocol/continuity/requests';
import type { Reader } from '../../platform/database/database.ts';
import { peerIdOf, requireWrite } from '../access.ts';
import { cut, headAliasNotices, withNotices } from '../answers.ts';
import { ACTIVE, ARCHIVED, type ArtifactKey, FALLBACK } from '../artifacts/artifact.ts';
import { archivesOf, findActiveHead, removeArtifact, separateFallback } from '../artifacts/artifact-store.ts';
import type { OperationCall } from '../call.ts';
import { commitId, latestCommit } from '../artifacts/commit-id.ts';
import { type MemoryContext, writeSubject } from '../memory-context.ts';
import { activePath, archivePath, fallbackPath } from '../artifacts/paths.ts';
import { insertRevision } from '../artifacts/revision-store.ts';
import { type Subject, subjectOf } from '../capsule/subject.ts';
import { announce } from '../write/write-capsule.ts';

const MESSAGE_CHARS = 120;

interface Selected {
  readonly key: ArtifactKey;
  readonly path: string;
}

/** Removes the chosen artifacts of a subject together. Cold copies are never touched. */
export async function remove(
  memory: MemoryContext,
  { caller, body }: OperationCall<DeleteRequest>,
): Promise<object> {
  const subject = subjectOf(body.subject_kind, body.subject_id);
  const { ownerId } = caller;
  const now = memory.clock.now();
  const answer = await writeSubject(memory, 'delete', ownerId, subject, async (tx) => {
    const selected = await select(tx, ownerId, subject, body);
    for (const { path } of selected) requireWrite(caller, path);
    const stored = body.delete_active ? await findActiveHead(tx, ownerId, subject) : undefined;
    // Where archives alone go, the capsule stays its own snapshot.
    if (body.delete_active || body.delete_fallback) await separateFallback(tx, ownerId, subject);
    const deleted: string[] = [];
    const missing: string[] = [];
    for (const { key, path } of selected) {
      if (await removeArtifact(tx, ownerId, key)) deleted.push(path);
      else missing.push(path);
    }
    const commit =
      deleted.length === 0
        ? await latestCommit(tx, ownerId)
        : await record(memory, tx, { caller, subject, body, deleted, now });
    const removed = {
      ok: true,
      deleted_paths: deleted,
      missing_paths: missing,
      durable: true,
      latest_commit: commit,
      warnings: [],
    };
    return withNotices(removed, headAliasNotices(stored, subject.id));
  });
  memory.audit.note(caller, 'delete', { path: activePath(subject), deleted: answer.deleted_paths });
  return answer;
}

/** In the order they are told; of archives only those that are there. */
async function select(
  reader: Reader,
  ownerId: string,
  subject: Subject,
  body: DeleteRequest,
): Promise<Selected[]> {
  const { kind, slug } = subject;
  const archives = body.delete_archive ? await archivesOf(reader, ownerId, subject) : [];
  return [
    ...(body.delete_active
      ? [{ key: { state: ACTIVE, kind, slug, stamp: '' }, path: activePath(subject) }]
      : []),
    ...(body.delete_fallback
      ? [{ key: { state: FALLBACK, kind, slug, stamp: '' }, path: fallbackPath(subject) }]
      : []),
    ...archives.map(({ stamp }) => ({
      key: { state: ARCHIVED, kind, slug, stamp },
      path: archivePath(subject, stamp),
    })),
  ];
}

async function record(
  memory: MemoryContext,
  tx: Parameters<typeof insertRevision>[0],
  {
    caller,
    subject,
    body,
    deleted,
    now,
  }: {
    caller: OperationCall<DeleteRequest>['caller'];
    subject: Subject;
    body: DeleteRequest;
    deleted: string[];
    now: number;
  },
): Promise<string> {
  const { ownerId } = caller;
  const peerId = peerIdOf(caller);
  const path = deleted[0] ?? activePath(subject);
  const revision = await insertRevision(tx, ownerId, {
    kind: subject.kind,
    slug: subject.slug,
    operation: 'delete',
    path,
    removedPaths: deleted,
    recordedAt: now,
    peerId,
    commitMessage: cut(
      `continuity: delete ${subject.kind} ${body.subject_id} - ${body.reason}`,
      MESSAGE_CHARS,
    ),
    reason: body.reason,
  });
  await announce(memory, tx, {
    ownerId,
    subject: { kind: subject.kind, id: body.subject_id },
    operation: 'delete',
    path,
    revision: revision.number,
    sha256: null,
    peerId,
    now,
  });
  return commitId(ownerId, revision.id);
}
