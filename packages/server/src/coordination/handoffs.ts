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
import { changeOf, putChanged, putNew } from './artifact-change.ts';
import { findArtifact, queryArtifacts } from './artifact-store.ts';
import { coded, type CoordinationContext, requireCommitMessage, writeOne } from './coordination-context.ts';
import { handoffMessage } from './handoff-message.ts';
import { requirePeer } from './peers.ts';
import { notFoundOf, requireFound, requireId, requireOwnQuestion, requireParty } from './visibility.ts';

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
  return await writeOne(context, 'handoff_create', `${ownerId}:${id}`, async (tx) => {
    const handoff = await projected(tx, caller, request, { id, now });
    const messageId = context.sendsHandoffs ? await handoffMessage(context, tx, sender, handoff) : undefined;
    const latest = await putNew(
      context,
      tx,
      'handoff',
      handoff,
      {
        version: 1,
        status: handoff.recipient_status,
        classification: null,
        taskId: handoff.task_id,
        threadId: handoff.thread_id,
        sortedAt: handoff.created_at,
        messageId: messageId ?? null,
        parties: [
          { role: 'sender', peer: handoff.sender_peer },
          { role: 'recipient', peer: handoff.recipient_peer },
        ],
      },
      changeOf(caller, id, 'coordination.handoff_create', now, request.commit_message),
    );
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

export async function readHandoff(
  { database }: CoordinationContext,
  caller: Caller,
  id: string,
): Promise<object> {
  if (!isId('handoff', id)) throw notFoundOf('handoff');
  const handoff = requireFound('handoff', await findArtifact(database.read, caller.ownerId, 'handoff', id));
  requireParty('handoff', handoff, caller);
  return { ok: true, handoff, path: pathOf('handoff', id) };
}

export async function queryHandoffs(
  { database }: CoordinationContext,
  caller: Caller,
  { recipient_peer: recipient, sender_peer: sender, status, limit, offset }: HandoffsQuery,
): Promise<object> {
  requireOwnQuestion(caller, [recipient, sender]);
  const { rows, total } = await queryArtifacts(database.read, caller.ownerId, 'handoff', {
    parties: [
      ...(recipient === undefined ? [] : [{ role: 'recipient' as const, peer: recipient }]),
      ...(sender === undefined ? [] : [{ role: 'sender' as const, peer: sender }]),
    ],
    equal: status === undefined ? {} : { status },
    limit,
    offset,
  });
  const handoffs = rows.map(({ document }) => JSON.parse(document) as Handoff);
  return { ok: true, count: handoffs.length, total_matches: total, warnings: [], handoffs };
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
  return await writeOne(context, 'handoff_consume', `${ownerId}:${id}`, async (tx) => {
    const row = await findArtifact(tx, ownerId, 'handoff', id);
    const handoff = requireFound('handoff', row);
    if (!row || handoff.recipient_peer !== peer) throw forbidden('Only the recipient may consume a handoff');
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
    const change = changeOf(caller, id, 'coordination.handoff_consume', now);
    const latest = await putChanged(context, tx, row, consumed, { status, version: row.version + 1 }, change);
    await context.kept.answered(tx, handoff.created_at);
    if (row.message_id !== null) await context.mail.ack(tx, ownerId, row.message_id);
    return { ok: true, handoff: consumed, path, updated: true, latest_commit: latest };
  });
}
