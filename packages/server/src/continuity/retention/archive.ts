import type { ArchiveRequest } from '@parley/protocol/continuity/requests';
import type { Reader } from '../../platform/database/database.ts';
import { peerIdOf, requireRead, requireWrite } from '../access.ts';
import { aliasNotices, messageOf, withNotices } from '../answers.ts';
import { ACTIVE, ARCHIVED, columnsOf } from '../artifacts/artifact.ts';
import {
  findArchive,
  findCold,
  putArtifact,
  putTerms,
  removeArtifact,
  separateFallback,
} from '../artifacts/artifact-store.ts';
import type { OperationCall } from '../call.ts';
import { canonicalCapsule, sha256 } from '../capsule/canonical.ts';
import { commitId } from '../artifacts/commit-id.ts';
import { type MemoryContext, writeSubject } from '../memory-context.ts';
import { archiveText } from '../capsule/envelopes.ts';
import { compactSeconds, fullInstant } from '../capsule/instant.ts';
import { activePath, archivePath } from '../artifacts/paths.ts';
import { insertRevision } from '../artifacts/revision-store.ts';
import { findActive, requirePresent } from '../artifacts/stored-capsule.ts';
import { type Subject, subjectOf } from '../capsule/subject.ts';
import { announce } from '../write/write-capsule.ts';

/** Moves the active capsule into an archive; the snapshot stays. */
export async function archive(
  memory: MemoryContext,
  { caller, body }: OperationCall<ArchiveRequest>,
): Promise<object> {
  const subject = subjectOf(body.subject_kind, body.subject_id);
  const { ownerId } = caller;
  const path = activePath(subject);
  const peerId = peerIdOf(caller);
  const now = memory.clock.now();
  requireRead(caller, path);
  requireWrite(caller, path);
  requireWrite(caller, archivePath(subject, compactSeconds(now)));
  const done = await writeSubject(memory, 'archive', ownerId, subject, async (tx) => {
    const { loaded } = requirePresent(await findActive(tx, ownerId, subject));
    const { capsule } = loaded;
    const archivedMs = await freeSecond(tx, ownerId, subject, now);
    const archivedAt = fullInstant(archivedMs);
    const stamp = compactSeconds(archivedMs);
    const archivedPath = archivePath(subject, stamp);
    const canonical = canonicalCapsule(capsule);
    const document = archiveText(
      { archivedAt, archivedBy: peerId, reason: body.reason, activePath: path },
      canonical,
    );
    const hash = sha256(canonical);
    const columns = columnsOf(capsule, sha256(document), { archivedAt });
    const key = { state: ARCHIVED, kind: subject.kind, slug: subject.slug, stamp };
    await putTerms(tx, ownerId, key, '[]', columns.terms);
    await putArtifact(tx, ownerId, key, columns, { document, archivedMs });
    await separateFallback(tx, ownerId, subject);
    await removeArtifact(tx, ownerId, { ...key, state: ACTIVE, stamp: '' });
    const revision = await insertRevision(tx, ownerId, {
      kind: subject.kind,
      slug: subject.slug,
      operation: 'archive',
      path: archivedPath,
      removedPaths: [path],
      updatedAt: capsule.updated_at,
      recordedAt: now,
      peerId,
      commitMessage: messageOf('archive', subject.kind, body.subject_id),
      reason: body.reason,
      sha256: hash,
      document,
    });
    await announce(memory, tx, {
      ownerId,
      subject: { kind: subject.kind, id: capsule.subject_id },
      operation: 'archive',
      path: archivedPath,
      revision: revision.number,
      sha256: hash,
      peerId,
      now,
    });
    const answer = {
      ok: true,
      archived_path: archivedPath,
      removed_active_path: path,
      durable: true,
      latest_commit: commitId(ownerId, revision.id),
      warnings: [],
    };
    return { answer: withNotices(answer, aliasNotices(capsule.subject_id, subject.id)), hash };
  });
  memory.audit.note(caller, 'archive', { path: done.answer.archived_path, capsule_sha256: done.hash });
  return done.answer;
}

/** Now, or the next second whose name no archive of the subject has, packed away ones included. */
async function freeSecond(reader: Reader, ownerId: string, subject: Subject, now: number): Promise<number> {
  for (let at = now; ; at = Math.floor(at / 1000) * 1000 + 1000) {
    const key = { kind: subject.kind, slug: subject.slug, stamp: compactSeconds(at) };
    const taken = (await findArchive(reader, ownerId, key)) ?? (await findCold(reader, ownerId, key));
    if (!taken) return at;
  }
}
