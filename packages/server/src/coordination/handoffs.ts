import type { Handoff } from '@parley/protocol/coordination/artifacts';
import type { HandoffConsume, HandoffCreate, HandoffsQuery } from '@parley/protocol/coordination/requests';
import { peerIdOf, requireRead, requireWrite } from '../continuity/access.ts';
import { activePath } from '../continuity/artifacts/paths.ts';
import { findActive, requirePresent } from '../continuity/artifacts/stored-capsule.ts';
import { subjectOf } from '../continuity/capsule/subject.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Caller } from '../wire/caller.ts';
import { forbidden } from '../wire/memory/errors.ts';
import { isId, newArtifactId, pathOf } from './artifact.ts';
import { changeArtifact, createArtifact } from './artifact-change.ts';
import { coded, type PeerAction, requireCommitMessage } from './coordination-context.ts';
import { handoffMessage } from './handoff-message.ts';
import { requirePeer } from './peers.ts';
import { listArtifacts, notFoundOf, readArtifact, requireId } from './visibility.ts';

/** Of a capsule exactly two lists cross to the other peer, as they are now. */
export const createHandoff: PeerAction<HandoffCreate> = async (context, { caller, body }) => {
  const { ownerId } = caller;
  const id = newArtifactId('handoff', context.random);
  requireWrite(caller, pathOf('handoff', id));
  const { read } = context.database;
  await requirePeer(read, ownerId, await context.keyHolders(ownerId), body.recipient_peer);
  requireCommitMessage(body.commit_message);
  const sender = await context.directory.acting(caller);
  const change = { kind: 'handoff', id, does: 'create', caller, message: body.commit_message } as const;
  return await createArtifact(context, change, async (tx, at) => {
    const artifact = await projected(tx, caller, body, { id, at });
    const messageId = context.sendsHandoffs ? await handoffMessage(context, tx, sender, artifact) : undefined;
    context.wakes.announce(tx, ownerId, artifact.recipient_peer);
    return { artifact, messageId };
  });
};

async function projected(
  tx: Tx,
  caller: Caller,
  request: HandoffCreate,
  { id, at }: { id: string; at: string },
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
    created_at: at,
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

export const readHandoff: PeerAction = async (context, { caller, params }) => {
  const id = params.handoff_id ?? '';
  if (!isId('handoff', id)) throw notFoundOf('handoff');
  return await readArtifact(context, caller, 'handoff', id);
};

export const queryHandoffs: PeerAction<undefined, HandoffsQuery> = async (context, { caller, query }) => {
  const { recipient_peer: recipient, sender_peer: sender, status, ...page } = query;
  const parties = { recipient, sender };
  return await listArtifacts(context, caller, 'handoff', { parties, equal: { status }, ...page });
};

/**
 * | `recipient_status` | consumed by its recipient                                         |
 * |--------------------|-------------------------------------------------------------------|
 * | `pending`          | becomes what the recipient says, and its message counts as done   |
 * | any other          | the same status and words: nothing; else refused. None is undone. |
 */
export const consumeHandoff: PeerAction<HandoffConsume> = async (context, { caller, params, body }) => {
  const id = params.handoff_id ?? '';
  requireId('handoff', id);
  const peer = peerIdOf(caller);
  const { status } = body;
  const text = body.note ?? body.reason ?? null;
  const change = { kind: 'handoff', id, does: 'consume', caller } as const;
  const next = (handoff: Handoff, at: string) => {
    if (handoff.recipient_peer !== peer) throw forbidden('Only the recipient may consume a handoff');
    if (handoff.recipient_status !== 'pending') {
      if (handoff.recipient_status !== status || handoff.recipient_reason !== text) {
        throw coded(409, 'Handoff has already been consumed', 'handoff_already_consumed');
      }
      return undefined;
    }
    const consumed = { consumed_at: at, consumed_by: peer };
    return {
      artifact: { ...handoff, recipient_status: status, recipient_reason: text, ...consumed },
      columns: { status },
    };
  };
  return await changeArtifact(context, change, next, async (tx, row, handoff) => {
    await context.kept.answered(tx, handoff.created_at);
    if (row.message_id !== null) await context.mail.ack(tx, caller.ownerId, row.message_id);
  });
};
