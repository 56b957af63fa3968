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
import { changeOf, putChanged, putNew, writeArtifact } from './artifact-change.ts';
import { checkedClaims, requireSources } from './claims.ts';
import {
  coded,
  type CoordinationContext,
  isAdmin,
  requireCommitMessage,
  requireText,
} from './coordination-context.ts';
import { listArtifacts, requireFound, requireId, requireOwnQuestion } from './visibility.ts';

/** Puts on record that peers claim what does not go together. All of it or nothing. */
export async function openReconciliation(
  context: CoordinationContext,
  caller: Caller,
  request: ReconciliationOpen,
): Promise<object> {
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
  const change = changeOf(caller, id, 'reconciliation_open', now, request.commit_message);
  const latest = await writeArtifact(context, change, (tx) =>
    putNew(context, tx, 'reconciliation', reconciliation, change),
  );
  return { ok: true, reconciliation, path, created: true, latest_commit: latest };
}

export async function queryReconciliations(
  context: CoordinationContext,
  caller: Caller,
  query: ReconciliationsQuery,
): Promise<object> {
  const { owner_peer: owner, claimant_peer: claimant, limit, offset } = query;
  const { status, classification, task_id, thread_id } = query;
  requireOwnQuestion(caller, [owner, claimant], [status, classification, task_id, thread_id]);
  return await listArtifacts(context, caller, 'reconciliation', {
    parties: { owner, claimant },
    equal: { status, classification, task_id, thread_id },
    limit,
    offset,
  });
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
  const change = changeOf(caller, id, 'reconciliation_resolve', now, request.commit_message);
  return await writeArtifact(context, change, async (tx) => {
    const { row, artifact: present } = await requireFound(tx, ownerId, 'reconciliation', id);
    const peer = peerIdOf(caller);
    if (present.owner_peer !== peer && !isAdmin(caller)) {
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
    const columns = { version: reconciliation.version, status: reconciliation.status, sorted_at: at };
    const latest = await putChanged(context, tx, row, reconciliation, columns, change);
    return { ok: true, reconciliation, path, updated: true, latest_commit: latest };
  });
}
