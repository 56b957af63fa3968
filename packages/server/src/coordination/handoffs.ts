import type { Handoff } from '@parley/protocol/coordination/artifacts';
import type { HandoffConsume, HandoffCreate, HandoffsQuery } from '@parley/protocol/coordination/requests';
import { peerIdOf, requireRead, requireWrite } from '../continuity/access.ts';
import { activePath } from '../continuity/artifacts/paths.ts';
import { latestCommit } from '../continuity/artifacts/commit-id.ts';
import { findActive, requirePresent } from '../continuity/artifacts/stored-capsule.ts';
import { wholeSeconds } from '../continuity/capsule/instant.ts';
import { subjectOf } from '../continuity/capsule/subject.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Caller } from '../wire/caller.ts';
import { forbidden } from '../wire/memory/errors.ts';
import { isId, newId, pathOf } from './artifact.ts';
import { changeOf, putChanged, putNew, writeArtifact } from './artifact-change.ts';
import { coded, type CoordinationContext, requireCommitMessage } from './coordination-context.ts';
import { handoffMessage } from './handoff-message.ts';
import { requirePeer } from './peers.ts';
import {
  listArtifacts,
  notFoundOf,
  readArtifact,
  requireFound,
  requireId,
  requireOwnQuestion,
} from './visibility.ts';

/** Of a capsule exactly two lists cross to the other peer, as they are now. */
export async function createHandoff(
  context: CoordinationContext,
  caller: Caller,
  request: HandoffCreate,
): Promise<object> {
  const { ownerId } = caller;
  const id = newId('handoff', context.random);
  const path = pathOf('handoff', id);
  requireWrite(caller, path);
  const { read } = context.database;
  await requirePeer(read, ownerId, await context.keyHolders(ownerId), request.recipient_peer);
  requireCommitMessage(request.commit_message);
  const sender = await context.directory.acting(caller);
  const now = context.clock.now();
  const change = changeOf(caller, id, 'handoff_create', now, request.commit_message);
  return await writeArtifact(context, change, async (tx) => {
    const handoff = await projected(tx, caller, request, { id, now });
    const messageId = context.sendsHandoffs ? await handoffMessage(context, tx, sender, handoff) : undefined;
    const latest = await putNew(context, tx, 'handoff', handoff, change, messageId);
    context.wakes.announce(tx, ownerId, handoff.recipient_peer);
    return { ok: true, handoff, path, created: true, latest_commit: latest };
  });
}

async function projected(
  tx: Tx,
  caller: Caller,
  request: HandoffCreate,
  { id, now }: { id: string; now: number },
): Promise<Handoff> {
  const subject = subjectOf(request.subject_kind, request.subject_id);
  const { capsule } = requirePresent(await findActive(tx, caller.ownerId, subject)).loaded;
  const path = activePath(subject);
  requireRead(caller, path);
  const peer = peerIdOf(caller);
  return {
    schema_type: 'continuity_handoff',
    schema_version: '1.0',
    handoff_id: id,
    created_at: wholeSeconds(now),
    created_by: peer,
    sender_peer: peer,
    recipient_peer: request.recipient_peer,
    source_selector: { subject_kind: request.subject_kind, subject_id: request.subject_id },
    source_summary: {
      path,
      updated_at: capsule.updated_at,
      verified_at: capsule.verified_at,
      verification_status: capsule.verification_state?.status ?? 'unverified',
      health_status: capsule.capsule_health?.status ?? 'healthy',
    },
    task_id: request.task_id ?? null,
    thread_id: request.thread_id ?? null,
    note: request.note ?? null,
    shared_continuity: {
      active_constraints: [...capsule.continuity.active_constraints],
      drift_signals: [...capsule.continuity.drift_signals],
    },
    recipient_status: 'pending',
    recipient_reason: null,
    consumed_at: null,
    consumed_by: null,
  };
}

export async function readHandoff(context: CoordinationContext, caller: Caller, id: string): Promise<object> {
  if (!isId('handoff', id)) throw notFoundOf('handoff');
  return await readArtifact(context, caller, 'handoff', id);
}

export async function queryHandoffs(
  context: CoordinationContext,
  caller: Caller,
  { recipient_peer: recipient, sender_peer: sender, status, limit, offset }: HandoffsQuery,
): Promise<object> {
  requireOwnQuestion(caller, [recipient, sender]);
  const parties = { recipient, sender };
  return await listArtifacts(context, caller, 'handoff', { parties, equal: { status }, limit, offset });
}

/**
 * | `recipient_status` | consumed by its recipient                                         |
 * |--------------------|-------------------------------------------------------------------|
 * | `pending`          | becomes what the recipient says, and its message counts as done   |
 * | any other          | the same status and words: nothing; else refused. None is undone. |
 */
export async function consumeHandoff(
  context: CoordinationContext,
  caller: Caller,
  id: string,
  { status, note, reason }: HandoffConsume,
): Promise<object> {
  requireId('handoff', id);
  const { ownerId } = caller;
  const peer = peerIdOf(caller);
  const text = note ?? reason ?? null;
  const path = pathOf('handoff', id);
  const now = context.clock.now();
  const change = changeOf(caller, id, 'handoff_consume', now);
  return await writeArtifact(context, change, async (tx) => {
    const { row, artifact: handoff } = await requireFound(tx, ownerId, 'handoff', id);
    if (handoff.recipient_peer !== peer) throw forbidden('Only the recipient may consume a handoff');
    if (handoff.recipient_status !== 'pending') {
      if (handoff.recipient_status !== status || handoff.recipient_reason !== text) {
        throw coded(409, 'Handoff has already been consumed', 'handoff_already_consumed');
      }
      return { ok: true, handoff, path, updated: false, latest_commit: await latestCommit(tx, ownerId) };
    }
    const consumed: Handoff = {
      ...handoff,
      recipient_status: status,
      recipient_reason: text,
      consumed_at: wholeSeconds(now),
      consumed_by: peer,
    };
    const latest = await putChanged(context, tx, row, consumed, { status, version: row.version + 1 }, change);
    await context.kept.answered(tx, handoff.created_at);
    if (row.message_id !== null) await context.mail.ack(tx, ownerId, row.message_id);
    return { ok: true, handoff: consumed, path, updated: true, latest_commit: latest };
  });
}
