import { SUMMARY_CHARS } from '@parley/protocol/coordination/limits';
import type { Reconciliation } from '@parley/protocol/coordination/artifacts';
import type {
  ReconciliationOpen,
  ReconciliationResolve,
  ReconciliationsQuery,
} from '@parley/protocol/coordination/requests';
import { peerIdOf, requireWrite } from '../continuity/access.ts';
import { latestCommit } from '../continuity/artifacts/commit-id.ts';
import { wholeSeconds } from '../continuity/capsule/instant.ts';
import type { Caller } from '../wire/caller.ts';
import { badRequest, forbidden } from '../wire/memory/errors.ts';
import { newId, pathOf } from './artifact.ts';
import { changeOf, putChanged, putNew } from './artifact-change.ts';
import { findArtifact, queryArtifacts } from './artifact-store.ts';
import { checkedClaims, requireSources } from './claims.ts';
import {
  coded,
  type CoordinationContext,
  isAdmin,
  requireCommitMessage,
  requireText,
  writeOne,
} from './coordination-context.ts';
import { requireFound, requireId, requireOwnQuestion, requireParty } from './visibility.ts';

/** Puts on record that peers claim what does not go together. All of it or nothing. */
export async function openReconciliation(
  context: CoordinationContext,
  caller: Caller,
  request: ReconciliationOpen,
): Promise<object> {
  const { ownerId } = caller;
  const owner = peerIdOf(caller);
  const id = newId('reconciliation', context.random);
  const path = pathOf('reconciliation', id);
  requireWrite(caller, path);
  const claims = checkedClaims(request);
  await requireSources(context, caller, claims);
  const now = context.clock.now();
  const at = wholeSeconds(now);
  const claimants = [...new Set(claims.map(({ claimant_peer: peer }) => peer))];
  const reconciliation: Reconciliation = {
    schema_type: 'coordination_reconciliation_record',
    schema_version: '1.0',
    reconciliation_id: id,
    created_at: at,
    updated_at: at,
    opened_by: owner,
    owner_peer: owner,
    participant_peers: claimants.filter((peer) => peer !== owner),
    task_id: request.task_id ?? null,
    thread_id: request.thread_id ?? null,
    title: request.title,
    summary: request.summary ?? null,
    classification: request.classification,
    trigger: request.trigger,
    claims: [...claims],
    status: 'open',
    resolution_outcome: null,
    resolution_summary: null,
    resolved_at: null,
    resolved_by: null,
    version: 1,
    last_updated_by: owner,
  };
  const of = {
    version: 1,
    status: reconciliation.status,
    classification: reconciliation.classification,
    taskId: reconciliation.task_id,
    threadId: reconciliation.thread_id,
    sortedAt: at,
    messageId: null,
    parties: [
      { role: 'owner' as const, peer: owner },
      ...claimants.map((peer) => ({ role: 'claimant' as const, peer })),
    ],
  };
  const change = changeOf(caller, id, 'coordination.reconciliation_open', now, request.commit_message);
  const latest = await writeOne(context, 'reconciliation_open', `${ownerId}:${id}`, (tx) =>
    putNew(context, tx, 'reconciliation', reconciliation, of, change),
  );
  return { ok: true, reconciliation, path, created: true, latest_commit: latest };
}

export async function readReconciliation(
  { database }: CoordinationContext,
  caller: Caller,
  id: string,
): Promise<object> {
  requireId('reconciliation', id);
  const row = await findArtifact(database.read, caller.ownerId, 'reconciliation', id);
  const reconciliation = requireFound('reconciliation', row);
  requireParty('reconciliation', reconciliation, caller);
  return { ok: true, reconciliation, path: pathOf('reconciliation', id) };
}

export async function queryReconciliations(
  { database }: CoordinationContext,
  caller: Caller,
  query: ReconciliationsQuery,
): Promise<object> {
  const { owner_peer: owner, claimant_peer: claimant, limit, offset } = query;
  const { status, classification, task_id, thread_id } = query;
  requireOwnQuestion(caller, [owner, claimant], [status, classification, task_id, thread_id]);
  const { rows, total } = await queryArtifacts(database.read, caller.ownerId, 'reconciliation', {
    parties: [
      ...(owner === undefined ? [] : [{ role: 'owner' as const, peer: owner }]),
      ...(claimant === undefined ? [] : [{ role: 'claimant' as const, peer: claimant }]),
    ],
    equal: {
      ...(status !== undefined && { status }),
      ...(classification !== undefined && { classification }),
      ...(task_id !== undefined && { task_id }),
      ...(thread_id !== undefined && { thread_id }),
    },
    limit,
    offset,
  });
  const found = rows.map(({ document }) => JSON.parse(document) as Reconciliation);
  return { ok: true, count: found.length, total_matches: total, warnings: [], reconciliations: found };
}

/**
 * | `status`   | resolved by its owner or an administrator                                       |
 * |------------|---------------------------------------------------------------------------------|
 * | `open`     | at the version it is based on: becomes `resolved`; else refused                 |
 * | `resolved` | the same outcome and summary: nothing; else refused. Nothing opens it again.    |
 */
export async function resolveReconciliation(
  context: CoordinationContext,
  caller: Caller,
  id: string,
  request: ReconciliationResolve,
): Promise<object> {
  const { ownerId } = caller;
  const path = pathOf('reconciliation', id);
  requireWrite(caller, path);
  requireId('reconciliation', id);
  const outcome = request.resolution_outcome ?? request.outcome ?? null;
  const now = context.clock.now();
  return await writeOne(context, 'reconciliation_resolve', `${ownerId}:${id}`, async (tx) => {
    const row = await findArtifact(tx, ownerId, 'reconciliation', id);
    const present = requireFound('reconciliation', row);
    const peer = peerIdOf(caller);
    if (!row || (present.owner_peer !== peer && !isAdmin(caller))) {
      throw forbidden('Only the owner may resolve a reconciliation');
    }
    const summary = request.resolution_summary;
    if (summary == null) throw badRequest('resolution_summary is required');
    requireText('resolution_summary', summary, SUMMARY_CHARS, 1);
    requireCommitMessage(request.commit_message);
    if (present.status === 'resolved') {
      if (present.resolution_outcome !== outcome || present.resolution_summary !== summary) {
        throw coded(409, 'Reconciliation has already been resolved', 'reconciliation_already_resolved');
      }
      const latest = await latestCommit(tx, ownerId);
      return { ok: true, reconciliation: present, path, updated: false, latest_commit: latest };
    }
    if (present.version !== request.expected_version) {
      throw coded(409, 'Reconciliation version conflict', 'reconciliation_version_conflict');
    }
    const at = wholeSeconds(now);
    const reconciliation: Reconciliation = {
      ...present,
      updated_at: at,
      status: 'resolved',
      resolution_outcome: outcome,
      resolution_summary: summary,
      resolved_at: at,
      resolved_by: peer,
      version: present.version + 1,
      last_updated_by: peer,
    };
    const change = changeOf(caller, id, 'coordination.reconciliation_resolve', now, request.commit_message);
    const columns = { version: reconciliation.version, status: reconciliation.status, sorted_at: at };
    const latest = await putChanged(context, tx, row, reconciliation, columns, change);
    return { ok: true, reconciliation, path, updated: true, latest_commit: latest };
  });
}
