import type { Capsule, IncomingCapsule } from '@parley/protocol/continuity/capsule';
import type {
  CompareRequest,
  RevalidateRequest,
  VerificationSignal,
} from '@parley/protocol/continuity/requests';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { requireRead, requireWrite } from '../access.ts';
import { aliasNotices, messageOf, withNotices } from '../answers.ts';
import type { MemoryOperation } from '../call.ts';
import { changeInPlace } from './change-in-place.ts';
import { futureNotices } from '../rules/clock-rule.ts';
import { changedFields, recommendedOutcome, strongestSignal } from '../read/compare.ts';
import { resetNotices } from '../artifacts/ended-thread.ts';
import { refusing, type Report, REQUEST } from '../../wire/memory/errors.ts';
import { capsuleFrom } from '../capsule/incoming.ts';
import { checkInstant, instantOrUndefined } from '../capsule/instant.ts';
import { activePath } from '../artifacts/paths.ts';
import { revalidated } from './revalidation.ts';
import { requireValid } from '../rules/rules.ts';
import { findActive, isOf, requirePresent } from '../artifacts/stored-capsule.ts';
import { type Subject, subjectOf } from '../capsule/subject.ts';
import { checkVerification } from '../rules/verification-check.ts';

/** What a candidate would change, and what to make of it. Writes nothing. */
export const compare: MemoryOperation<CompareRequest> = async (memory, { caller, body }) => {
  const { subject, candidate } = refusing(body.explain, (report) => {
    checkSignals(body.signals, report);
    const asked = subjectOf(body.subject_kind, body.subject_id);
    return {
      subject: asked,
      candidate: checkedCandidate(body.candidate_capsule, asked, body.explain, report),
    };
  });
  const path = activePath(subject);
  requireRead(caller, path);
  const active = requirePresent(await findActive(memory.database.read, caller.ownerId, subject));
  const changed = changedFields(active.loaded.capsule, candidate);
  const strongest = strongestSignal(body.signals);
  memory.audit(caller, 'compare', { path, identical: changed.length === 0 });
  return withNotices(
    {
      ok: true,
      path,
      identical: changed.length === 0,
      changed_fields: changed,
      strongest_signal: strongest,
      recommended_outcome: recommendedOutcome(changed.length > 0, strongest),
    },
    aliasNotices(active.loaded.capsule.subject_id, subject.id),
  );
};

/** Records that someone looked again: confirmed, corrected, or found reason to doubt. */
export const revalidate: MemoryOperation<RevalidateRequest> = async (memory, { caller, body }) => {
  const { outcome, signals } = body;
  const { subject, candidate, reason } = refusing(body.explain, (report) => {
    checkSignals(signals, report);
    const asked = subjectOf(body.subject_kind, body.subject_id);
    return { subject: asked, candidate: candidateFor(body, asked, report), reason: reasonFor(body, report) };
  });
  const path = activePath(subject);
  requireRead(caller, path);
  requireWrite(caller, path);
  return await changeInPlace(memory, {
    caller,
    subject,
    path,
    operation: 'revalidate',
    commitMessage: messageOf('revalidate', body.subject_kind, body.subject_id),
    reason,
    dryRun: body.dry_run,
    plan: async (reader, now) => {
      const active = requirePresent(await findActive(reader, caller.ownerId, subject));
      const before = active.loaded.capsule;
      const result = revalidated(before, { outcome, candidate, signals, reason }, isoSeconds(now));
      requireValid(result.capsule, { explain: body.explain });
      const updatedAt =
        result.outcome === 'correct' ? instantOrUndefined(result.capsule.updated_at) : undefined;
      const notices = [
        ...(updatedAt ? futureNotices(updatedAt, now) : []),
        ...aliasNotices(before.subject_id, subject.id),
        ...resetNotices(result.capsule, active.row),
      ];
      const verdict = {
        outcome: result.outcome,
        updated: result.outcome === 'correct',
        verification_state: result.capsule.verification_state,
        capsule_health: result.capsule.capsule_health,
      };
      return { ...result, before, replaced: active.row, notices, verdict };
    },
    rehearsed: ({ verdict }) => ({ ...verdict, updated: false }),
    audited: ({ verdict }) => ({ outcome: verdict.outcome }),
    told: ({ planned, written }) => ({
      ...planned.verdict,
      durable: true,
      latest_commit: written.commit,
      warnings: [],
      recovery_warnings: [],
      fallback_warning_detail: null,
    }),
  });
};

function checkSignals(signals: readonly VerificationSignal[], report: Report): void {
  for (const { observed_at: observedAt } of signals) checkInstant(observedAt, 'signals.observed_at', report);
}

/** The spelling of the id may differ; the subject may not. */
function checkedCandidate(
  incoming: IncomingCapsule,
  subject: Subject,
  explain: boolean,
  report: Report,
): Capsule {
  const candidate = capsuleFrom(incoming);
  if (!isOf(candidate, subject)) {
    report(REQUEST, 'Candidate capsule subject does not match request subject');
  }
  requireValid(candidate, { explain, size: true, more: (also) => checkVerification(candidate, also) });
  return candidate;
}

function candidateFor(body: RevalidateRequest, subject: Subject, report: Report): Capsule | undefined {
  const { outcome, candidate_capsule: candidate } = body;
  if (outcome === 'correct') {
    if (candidate != null) return checkedCandidate(candidate, subject, body.explain, report);
    report(REQUEST, 'candidate_capsule is required for outcome=correct');
  } else if (candidate != null) {
    report(REQUEST, `candidate_capsule is not allowed for outcome=${outcome}`);
  }
  return undefined;
}

function reasonFor({ outcome, reason }: RevalidateRequest, report: Report): string | undefined {
  if (outcome === 'confirm' && reason != null) report(REQUEST, 'reason is not allowed for outcome=confirm');
  if ((outcome === 'degrade' || outcome === 'conflict') && reason == null) {
    report(REQUEST, `reason is required for outcome=${outcome}`);
  }
  return reason ?? undefined;
}
