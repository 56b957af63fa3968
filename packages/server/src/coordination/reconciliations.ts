import { SUMMARY_CHARS } from '@parley/protocol/coordination/limits';
import type { Reconciliation } from '@parley/protocol/coordination/artifacts';
import type {
  ReconciliationOpen,
  ReconciliationResolve,
  ReconciliationsQuery,
} from '@parley/protocol/coordination/requests';
import { peerIdOf, requireWrite } from '../continuity/access.ts';
import { badRequest, forbidden } from '../wire/memory/errors.ts';
import { newArtifactId, pathOf } from './artifact.ts';
import { changeArtifact, createArtifact } from './artifact-change.ts';
import { checkedClaims, requireSources } from './claims.ts';
import {
  coded,
  isAdmin,
  type PeerAction,
  requireCommitMessage,
  requireText,
} from './coordination-context.ts';
import { listArtifacts, requireId } from './visibility.ts';

/** Puts on record that peers claim what does not go together. All of it or nothing. */
export const openReconciliation: PeerAction<ReconciliationOpen> = async (
  context,
  { caller, body: request },
) => {
  const owner = peerIdOf(caller);
  const id = newArtifactId('reconciliation', context.random);
  requireWrite(caller, pathOf('reconciliation', id));
  const claims = checkedClaims(request);
  await requireSources(context, caller, claims);
  const claimants = [...new Set(claims.map(({ claimant_peer: peer }) => peer))];
  const change = {
    kind: 'reconciliation',
    id,
    does: 'open',
    caller,
    message: request.commit_message,
  } as const;
  return await createArtifact(context, change, async (_tx, at) => ({
    artifact: {
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
    },
  }));
};

export const queryReconciliations: PeerAction<undefined, ReconciliationsQuery> = async (
  context,
  { caller, query },
) => {
  const { owner_peer: owner, claimant_peer: claimant, limit, offset, ...equal } = query;
  const parties = { owner, claimant };
  return await listArtifacts(context, caller, 'reconciliation', { parties, equal, limit, offset });
};

/**
 * | `status`   | resolved by its owner or an administrator                                       |
 * |------------|---------------------------------------------------------------------------------|
 * | `open`     | at the version it is based on: becomes `resolved`; else refused                 |
 * | `resolved` | the same outcome and summary: nothing; else refused. Nothing opens it again.    |
 */
export const resolveReconciliation: PeerAction<ReconciliationResolve> = async (
  context,
  { caller, params, body: request },
) => {
  const id = params.reconciliation_id ?? '';
  requireWrite(caller, pathOf('reconciliation', id));
  requireId('reconciliation', id);
  const outcome = request.resolution_outcome ?? request.outcome ?? null;
  const change = {
    kind: 'reconciliation',
    id,
    does: 'resolve',
    caller,
    message: request.commit_message,
  } as const;
  return await changeArtifact(context, change, (present, at) => {
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
      return undefined;
    }
    if (present.version !== request.expected_version) {
      throw coded(409, 'Reconciliation version conflict', 'reconciliation_version_conflict');
    }
    const artifact: Reconciliation = {
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
    return { artifact, columns: { status: artifact.status, sorted_at: at } };
  });
};
