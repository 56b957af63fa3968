import type { DeleteRequest } from '@parley/protocol/continuity/requests';
import type { Caller } from '../../wire/caller.ts';
import type { Reader } from '../../platform/database/database.ts';
import { writerOf, requireWrite } from '../access.ts';
import { cut, headAliasNotices, withNotices } from '../answers.ts';
import { ARCHIVED, type ArtifactKey } from '../artifacts/artifact-table.ts';
import * as store from '../artifacts/artifact-store.ts';
import type { MemoryOperation } from '../call.ts';
import { latestCommit } from '../artifacts/commit-id.ts';
import { writeSubject } from '../memory-context.ts';
import { activePath, archivePath, fallbackPath } from '../artifacts/paths.ts';
import { recordChange } from '../artifacts/record-change.ts';
import { type Subject, subjectOf } from '../capsule/subject.ts';

const MESSAGE_CHARS = 120;

interface Selected {
  readonly key: ArtifactKey;
  readonly path: string;
}

/** Removes the chosen artifacts of a subject together. Cold copies are never touched. */
export const remove: MemoryOperation<DeleteRequest> = async (memory, { caller, body }) => {
  const subject = subjectOf(body.subject_kind, body.subject_id);
  const { ownerId } = caller;
  const now = memory.clock.now();
  const answer = await writeSubject(memory, 'delete', ownerId, subject, async (tx) => {
    const selected = await select(tx, ownerId, subject, body);
    for (const { path } of selected) requireWrite(caller, path);
    const stored = body.delete_active ? await store.findActiveHead(tx, ownerId, subject) : undefined;
    // Where archives alone go, the capsule stays its own snapshot.
    if (body.delete_active || body.delete_fallback) await store.separateFallback(tx, ownerId, subject);
    const deleted: string[] = [];
    const missing: string[] = [];
    for (const { key, path } of selected) {
      if (await store.removeArtifact(tx, ownerId, key)) deleted.push(path);
      else missing.push(path);
    }
    const [path] = deleted;
    const commit =
      path === undefined
        ? await latestCommit(tx, ownerId)
        : (
            await recordChange(memory, tx, {
              ...changeOf(caller, subject, body),
              path,
              removedPaths: deleted,
              now,
            })
          ).commit;
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
  memory.audit(caller, 'delete', { path: activePath(subject), deleted: answer.deleted_paths });
  return answer;
};

/** In the order they are told; of archives only those that are there. */
async function select(
  reader: Reader,
  ownerId: string,
  subject: Subject,
  body: DeleteRequest,
): Promise<Selected[]> {
  const { kind, slug } = subject;
  const stamps = body.delete_archive ? await store.archiveStamps(reader, ownerId, subject) : [];
  return [
    ...(body.delete_active ? [{ key: store.activeKey(subject), path: activePath(subject) }] : []),
    ...(body.delete_fallback ? [{ key: store.fallbackKey(subject), path: fallbackPath(subject) }] : []),
    ...stamps.map((stamp) => ({
      key: { state: ARCHIVED, kind, slug, stamp },
      path: archivePath(subject, stamp),
    })),
  ];
}

const changeOf = (caller: Caller, { kind, id, slug }: Subject, { reason }: DeleteRequest) => ({
  ...writerOf(caller),
  kind,
  slug,
  subjectId: id,
  operation: 'delete' as const,
  commitMessage: cut(`continuity: delete ${kind} ${id} - ${reason}`, MESSAGE_CHARS),
  reason,
});
