import type { PatchRequest } from '@parley/protocol/continuity/requests';
import { requireWrite } from '../access.ts';
import { aliasNotices, messageOf, withNotices } from '../answers.ts';
import type { OperationCall } from '../call.ts';
import { changeInPlace } from './change-in-place.ts';
import { futureNotices, refuseOlder, refuseSameTime } from '../rules/clock-rule.ts';
import type { MemoryContext } from '../memory-context.ts';
import { requireInstant } from '../capsule/instant.ts';
import { normalise } from '../capsule/normalise.ts';
import { applyOperations } from './patch-apply.ts';
import { checkOperations } from './patch-shape.ts';
import { activePath } from '../artifacts/paths.ts';
import { requireValid } from '../rules/rules.ts';
import { stamp } from '../capsule/stamp.ts';
import { findActive, requireChangeable } from '../artifacts/stored-capsule.ts';
import { subjectOf } from '../capsule/subject.ts';

/** Edits single list items, all or nothing. */
export async function patch(
  memory: MemoryContext,
  { caller, body }: OperationCall<PatchRequest>,
): Promise<object> {
  const operations = checkOperations(body.operations, body.explain);
  const subject = subjectOf(body.subject_kind, body.subject_id);
  const path = activePath(subject);
  requireWrite(caller, path);
  const changed = await changeInPlace(memory, {
    caller,
    subject,
    path,
    operation: 'patch',
    commitMessage: messageOf('patch', body.subject_kind, body.subject_id, body.commit_message),
    dryRun: body.dry_run,
    plan: async (reader, now) => {
      const active = requireChangeable(await findActive(reader, caller.ownerId, subject));
      const updatedAt = requireInstant(body.updated_at, 'updated_at');
      refuseOlder(updatedAt, active.row.updated_key);
      refuseSameTime(updatedAt, active.row.updated_key);
      const before = active.loaded.capsule;
      const edited = { ...applyOperations(before, operations), updated_at: body.updated_at };
      const { capsule: clean, applied } = normalise(edited);
      const capsule = stamp(clean, before, body.updated_at);
      requireValid(capsule, { explain: body.explain });
      const notices = [...futureNotices(updatedAt, now), ...aliasNotices(before.subject_id, subject.id)];
      return { capsule, before, replaced: active.row, normalizations: applied, notices };
    },
  });
  const { planned } = changed;
  if (changed.kind === 'rehearsed') return withNotices(changed.answer, planned.notices);
  memory.audit.note(caller, 'patch', { path, operations: operations.length, capsule_sha256: changed.sha256 });
  return withNotices(
    {
      ok: true,
      path,
      updated: true,
      durable: true,
      latest_commit: changed.written.commit,
      capsule_sha256: changed.sha256,
      operations_applied: operations.length,
      normalizations_applied: planned.normalizations,
      warnings: [],
      recovery_warnings: [],
    },
    planned.notices,
  );
}
