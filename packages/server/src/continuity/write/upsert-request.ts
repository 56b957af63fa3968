import type { Capsule, ContinuityState } from '@parley/protocol/continuity/capsule';
import type { UpsertRequest } from '@parley/protocol/continuity/requests';
import { isObject } from '@parley/protocol/json';
import { requireWrite } from '../access.ts';
import type { OperationCall } from '../call.ts';
import { refusing, type Report, REQUEST } from '../../wire/memory/errors.ts';
import { capsuleFrom } from '../capsule/incoming.ts';
import { type Instant, requireInstant } from '../capsule/instant.ts';
import { withoutLifecycle } from '../capsule/lifecycle.ts';
import { activePath } from '../artifacts/paths.ts';
import { mayBeTooLarge, requireValid } from '../rules/rules.ts';
import { sessionEndState } from '../capsule/session-end.ts';
import { isThreadOrTask, type Subject, subjectOf } from '../capsule/subject.ts';

/** An upsert that is right in itself; whether it can be done is up to what is stored. */
export interface CheckedUpsert {
  readonly subject: Subject;
  readonly path: string;
  readonly capsule: Capsule;
  readonly updatedAt: Instant;
  /** The capsule as it was sent. */
  readonly sent: unknown;
  /** What the session ended on. */
  readonly ended: Partial<ContinuityState>;
}

export const checkUpsert = (call: OperationCall<UpsertRequest>): CheckedUpsert =>
  refusing(call.body.explain, (report) => checkedWith(call, report));

function checkedWith(
  { caller, body, raw, bytes }: OperationCall<UpsertRequest>,
  report: Report,
): CheckedUpsert {
  const sent = isObject(raw) ? raw.capsule : undefined;
  if (sentNullDocuments(sent)) {
    if (body.merge_mode === 'replace') {
      report('continuity.related_documents', 'Invalid value type in continuity.related_documents[]');
    }
    body.capsule.continuity.related_documents = [];
  }
  const authored = capsuleFrom(body.capsule);
  // Only ours to say. Looked for first, because an object that something was deleted from is slow ever after.
  if (authored.verification_state) delete authored.verification_state;
  if (authored.capsule_health) delete authored.capsule_health;
  if (authored.subject_kind !== body.subject_kind || authored.subject_id !== body.subject_id) {
    report(REQUEST, 'Capsule subject does not match request subject');
  }
  const { session_end_snapshot: snapshot } = body;
  const ended = snapshot ? sessionEndState(snapshot) : {};
  const capsule = snapshot ? { ...authored, continuity: { ...authored.continuity, ...ended } } : authored;
  const subject = subjectOf(body.subject_kind, body.subject_id);
  const path = activePath(subject);
  requireWrite(caller, path);
  checkTransition(body, report);
  if (capsule.thread_descriptor) capsule.thread_descriptor = withoutLifecycle(capsule.thread_descriptor);
  requireValid(capsule, { explain: body.explain, size: mayBeTooLarge(bytes) });
  return {
    subject,
    path,
    capsule,
    updatedAt: requireInstant(capsule.updated_at, 'updated_at'),
    sent,
    ended,
  };
}

function sentNullDocuments(sent: unknown): boolean {
  return isObject(sent) && isObject(sent.continuity) && sent.continuity.related_documents === null;
}

function checkTransition(
  { lifecycle_transition: transition, superseded_by: successor, subject_kind: kind }: UpsertRequest,
  report: Report,
): void {
  if (successor != null && transition !== 'supersede') {
    report(REQUEST, "superseded_by is only allowed when lifecycle_transition is 'supersede'");
  }
  if (transition == null) return;
  if (!isThreadOrTask(kind)) {
    report(REQUEST, 'lifecycle_transition is only allowed for thread and task capsules');
  }
  if (transition === 'supersede' && successor == null) {
    report(REQUEST, "superseded_by is required when lifecycle_transition is 'supersede'");
  }
}
