import type { ArchiveRequest } from '@parley/protocol/continuity/requests';
import type { Reader } from '../../platform/database/database.ts';
import { peerIdOf, readableSubject, requireWrite } from '../access.ts';
import { aliasNotices, messageOf, withNotices } from '../answers.ts';
import { factsOf } from '../artifacts/artifact.ts';
import { ARCHIVED } from '../artifacts/artifact-table.ts';
import * as store from '../artifacts/artifact-store.ts';
import type { MemoryOperation } from '../call.ts';
import { canonicalCapsule, sha256 } from '../capsule/canonical.ts';
import { writeSubject } from '../memory-context.ts';
import { archiveText } from '../capsule/envelopes.ts';
import { compactSeconds, fullInstant } from '../capsule/instant.ts';
import { archivePath } from '../artifacts/paths.ts';
import { recordChange } from '../artifacts/record-change.ts';
import { findActive, requirePresent } from '../artifacts/stored-capsule.ts';
import type { Subject } from '../capsule/subject.ts';

/** Moves the active capsule into an archive; the snapshot stays. */
export const archive: MemoryOperation<ArchiveRequest> = async (memory, { caller, body }) => {
  const { subject, path } = readableSubject(caller, body);
  const { ownerId } = caller;
  const peerId = peerIdOf(caller);
  const now = memory.clock.now();
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
    const facts = factsOf(capsule, sha256(document), { archivedAt });
    const key = { state: ARCHIVED, kind: subject.kind, slug: subject.slug, stamp };
    await store.putArtifact(tx, ownerId, key, facts, { document, archived_ms: archivedMs });
    await store.separateFallback(tx, ownerId, subject);
    await store.removeArtifact(tx, ownerId, store.activeKey(subject));
    const { commit } = await recordChange(memory, tx, {
      ownerId,
      kind: subject.kind,
      slug: subject.slug,
      subjectId: capsule.subject_id,
      operation: 'archive',
      path: archivedPath,
      removedPaths: [path],
      updatedAt: capsule.updated_at,
      now,
      peerId,
      commitMessage: messageOf('archive', subject.kind, body.subject_id),
      reason: body.reason,
      sha256: hash,
      document,
    });
    const answer = {
      ok: true,
      archived_path: archivedPath,
      removed_active_path: path,
      durable: true,
      latest_commit: commit,
      warnings: [],
    };
    return { answer: withNotices(answer, aliasNotices(capsule.subject_id, subject.id)), hash };
  });
  memory.audit(caller, 'archive', { path: done.answer.archived_path, capsule_sha256: done.hash });
  return done.answer;
};

/** Now, or the next second whose name no archive of the subject has, packed away ones included. */
async function freeSecond(reader: Reader, ownerId: string, subject: Subject, now: number): Promise<number> {
  for (let at = now; ; at = Math.floor(at / 1000) * 1000 + 1000) {
    const key = { kind: subject.kind, slug: subject.slug, stamp: compactSeconds(at) };
    const taken =
      (await store.findArchive(reader, ownerId, key)) ?? (await store.findCold(reader, ownerId, key));
    if (!taken) return at;
  }
}
