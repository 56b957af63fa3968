import type { UpsertRequest } from '@parley/protocol/continuity/requests';
import { peerIdOf } from '../access.ts';
import { messageOf, withNotices } from '../answers.ts';
import type { MemoryOperation } from '../call.ts';
import { requireRoom } from '../documents-budget.ts';
import { latestCommit } from '../artifacts/commit-id.ts';
import { writeSubject } from '../memory-context.ts';
import { rehearsalOf } from './change-in-place.ts';
import { findReplay, keepReplay, replayOf } from './replays.ts';
import { resumeAdequate } from '../capsule/orientation.ts';
import { type CheckedUpsert, checkUpsert } from './upsert-request.ts';
import { planUpsert, type UpsertPlan } from './upsert-plan.ts';
import { writeCapsule } from './write-capsule.ts';

/** Stores a capsule, whole or over what is there. */
export const upsert: MemoryOperation<UpsertRequest> = async (memory, call) => {
  const { caller, body } = call;
  const { ownerId } = caller;
  const checked = checkUpsert(call);
  const now = memory.clock.now();
  if (body.dry_run) {
    const plan = await planUpsert(memory.database.read, ownerId, checked, body, now);
    return withNotices({ ...rehearsalOf(checked.path, plan), ...extras(plan, body) }, plan.notices);
  }
  const replay = replayOf(call);
  const answer = await writeSubject(memory, 'upsert', ownerId, checked.subject, async (tx) => {
    const known = replay && (await findReplay(tx, ownerId, checked.subject, replay, now));
    if (known?.kind === 'same') return { ...known.answer, replayed: true };
    const plan = await planUpsert(tx, ownerId, checked, body, now, memory.recent);
    if (plan.changes && plan.created) await requireRoom(memory.documents, tx, ownerId);
    const written = plan.changes
      ? await writeCapsule(memory, tx, {
          ownerId,
          subject: checked.subject,
          operation: 'upsert',
          capsule: plan.capsule,
          canonical: plan.canonical,
          sha256: plan.sha256,
          replaced: plan.replaced,
          now,
          peerId: peerIdOf(caller),
          commitMessage: messageOf('upsert', body.subject_kind, body.subject_id, body.commit_message),
          idempotencyKey: body.idempotency_key ?? undefined,
        })
      : undefined;
    const commit = written?.commit ?? (await latestCommit(tx, ownerId));
    const made = withNotices(answerOf(checked, plan, commit, body), [
      ...plan.notices,
      ...(known?.kind === 'reused' ? ['idempotency_key_reused'] : []),
    ]);
    if (replay) await keepReplay(memory, tx, ownerId, checked.subject, replay, made, now);
    return made;
  });
  memory.audit(caller, 'upsert', {
    path: checked.path,
    created: 'created' in answer && answer.created === true,
    updated: 'updated' in answer && answer.updated === true,
    capsule_sha256: 'capsule_sha256' in answer ? String(answer.capsule_sha256) : null,
    idempotency_key: body.idempotency_key ?? null,
  });
  return answer;
};

function answerOf(
  { path }: CheckedUpsert,
  plan: UpsertPlan,
  commit: string | null,
  body: UpsertRequest,
): object {
  return {
    ok: true,
    path,
    created: plan.changes && plan.created,
    updated: plan.changes && !plan.created,
    durable: true,
    latest_commit: commit,
    capsule_sha256: plan.sha256,
    normalizations_applied: plan.normalizations,
    warnings: [],
    recovery_warnings: plan.recoveryWarnings,
    fallback_warning_detail: null,
    ...extras(plan, body),
  };
}

function extras({ capsule }: UpsertPlan, body: UpsertRequest): object {
  const lifecycle = capsule.thread_descriptor?.lifecycle;
  return {
    ...(body.session_end_snapshot && {
      session_end_snapshot_applied: true,
      resume_quality: { adequate: resumeAdequate(capsule) },
    }),
    ...(lifecycle && { lifecycle }),
  };
}
