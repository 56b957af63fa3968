import type { LifecycleRequest } from '@parley/protocol/continuity/requests';
import { requireWrite } from '../access.ts';
import { aliasNotices, messageOf } from '../answers.ts';
import type { MemoryOperation } from '../call.ts';
import { changeInPlace } from './change-in-place.ts';
import { futureNotices, refuseNotNewer } from '../rules/clock-rule.ts';
import { badRequest, refusing, type Report, REQUEST } from '../../wire/memory/errors.ts';
import { checkInstant, requireInstant } from '../capsule/instant.ts';
import { lifecycleOf, transitioned } from '../capsule/lifecycle.ts';
import { activePath } from '../artifacts/paths.ts';
import { findActive, requireChangeable } from '../artifacts/stored-capsule.ts';
import { subjectOf } from '../capsule/subject.ts';

/** Moves a thread or task to another state and touches nothing else. */
export const transition: MemoryOperation<LifecycleRequest> = async (memory, { caller, body }) => {
  const { subject, path, successor } = refusing(body.explain, (report) => {
    checkInstant(body.updated_at, 'updated_at', report);
    const asked = subjectOf(body.subject_kind, body.subject_id);
    requireWrite(caller, activePath(asked));
    return { subject: asked, path: activePath(asked), successor: successorFor(body, report) };
  });
  const updatedAt = requireInstant(body.updated_at, 'updated_at');
  return await changeInPlace(memory, {
    caller,
    subject,
    path,
    operation: 'lifecycle',
    commitMessage: messageOf(
      `lifecycle ${body.transition}`,
      body.subject_kind,
      body.subject_id,
      body.commit_message,
    ),
    dryRun: body.dry_run,
    plan: async (reader, now) => {
      const active = requireChangeable(await findActive(reader, caller.ownerId, subject));
      refuseNotNewer(updatedAt, active.row.updated_key);
      const before = active.loaded.capsule;
      if (!before.thread_descriptor) throw badRequest('no thread_descriptor to transition');
      const descriptor = transitioned(before.thread_descriptor, body.transition, successor);
      const moved = {
        lifecycle: lifecycleOf(descriptor),
        previous_lifecycle: lifecycleOf(before.thread_descriptor),
      };
      const capsule = { ...before, updated_at: body.updated_at, thread_descriptor: descriptor };
      const notices = [...futureNotices(updatedAt, now), ...aliasNotices(before.subject_id, subject.id)];
      return { capsule, before, replaced: active.row, normalizations: [], notices, moved };
    },
    rehearsed: ({ moved }) => moved,
    audited: ({ moved }) => moved,
    told: ({ planned, written, sha256 }) => ({
      ...planned.moved,
      durable: true,
      latest_commit: written.commit,
      capsule_sha256: sha256,
      warnings: [],
      recovery_warnings: [],
    }),
  });
};

function successorFor(
  { transition: asked, superseded_by: successor }: LifecycleRequest,
  report: Report,
): string | undefined {
  if (asked === 'supersede' && successor == null) {
    report(REQUEST, "superseded_by is required when transition is 'supersede'");
  }
  if (asked !== 'supersede' && successor != null) {
    report(REQUEST, "superseded_by is only allowed when transition is 'supersede'");
  }
  return successor ?? undefined;
}
