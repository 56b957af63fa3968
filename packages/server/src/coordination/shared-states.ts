import { PEER_CHARS, SHARED_ITEMS, SUMMARY_CHARS, TITLE_CHARS } from '@parley/protocol/coordination/limits';
import type { SharedLists, SharedState } from '@parley/protocol/coordination/artifacts';
import type { SharedCreate, SharedQuery, SharedUpdate } from '@parley/protocol/coordination/requests';
import { peerIdOf, requireWrite } from '../continuity/access.ts';
import { badRequest, forbidden } from '../wire/memory/errors.ts';
import { newArtifactId, pathOf } from './artifact.ts';
import { changeArtifact, createArtifact } from './artifact-change.ts';
import {
  coded,
  type CoordinationContext,
  type PeerAction,
  requireCommitMessage,
  requireText,
} from './coordination-context.ts';
import { requirePeer } from './peers.ts';
import { listArtifacts, requireId } from './visibility.ts';

const LISTS = ['constraints', 'drift_signals', 'coordination_alerts'] as const;

/** A board its owner writes and its participants read. */
export const createShared: PeerAction<SharedCreate> = async (context, { caller, body: request }) => {
  const { ownerId } = caller;
  const owner = peerIdOf(caller);
  const id = newArtifactId('shared', context.random);
  requireWrite(caller, pathOf('shared', id));
  const participants = request.participant_peers ?? [];
  await requireParticipants(context, ownerId, owner, participants);
  const lists = listsOf(request);
  requireTexts(request, lists);
  if (LISTS.every((name) => lists[name].length === 0)) {
    throw badRequest('At least one of constraints, drift_signals and coordination_alerts must have an item');
  }
  requireCommitMessage(request.commit_message);
  const change = { kind: 'shared', id, does: 'create', caller, message: request.commit_message } as const;
  return await createArtifact(context, change, async (_tx, at) => ({
    artifact: {
      schema_type: 'coordination_shared_state',
      schema_version: '1.0',
      shared_id: id,
      created_at: at,
      updated_at: at,
      created_by: owner,
      owner_peer: owner,
      participant_peers: participants,
      task_id: request.task_id ?? null,
      thread_id: request.thread_id ?? null,
      title: request.title,
      summary: request.summary ?? null,
      shared_state: lists,
      version: 1,
      last_updated_by: owner,
    },
  }));
};

async function requireParticipants(
  { database, keyHolders }: CoordinationContext,
  ownerId: string,
  owner: string,
  participants: readonly string[],
): Promise<void> {
  if (participants.length === 0) return;
  const holders = await keyHolders(ownerId);
  const seen = new Set<string>();
  for (const peer of participants) {
    if (peer === owner) throw badRequest('participant_peers must not include owner_peer');
    if (seen.has(peer)) throw badRequest('participant_peers must not contain duplicates');
    seen.add(peer);
    requireText('participant_peers', peer, PEER_CHARS, 1);
    await requirePeer(database.read, ownerId, holders, peer);
  }
}

const listsOf = (request: Pick<SharedCreate, (typeof LISTS)[number]>): SharedLists => ({
  constraints: request.constraints ?? [],
  drift_signals: request.drift_signals ?? [],
  coordination_alerts: request.coordination_alerts ?? [],
});

function requireTexts({ title, summary }: Pick<SharedCreate, 'title' | 'summary'>, lists: SharedLists): void {
  requireText('title', title, TITLE_CHARS, 1);
  if (summary != null) requireText('summary', summary, SUMMARY_CHARS, 1);
  for (const name of LISTS) for (const item of lists[name]) requireText(name, item, SHARED_ITEMS.chars, 1);
}

export const queryShared: PeerAction<undefined, SharedQuery> = async (context, { caller, query }) => {
  const { owner_peer: owner, participant_peer: participant, task_id, thread_id, ...page } = query;
  const parties = { owner, participant };
  return await listArtifacts(context, caller, 'shared', { parties, equal: { task_id, thread_id }, ...page });
};

/** Replaces everything it says. Of those that were based on one version the first wins. */
export const updateShared: PeerAction<SharedUpdate> = async (context, { caller, params, body: request }) => {
  const id = params.shared_id ?? '';
  requireWrite(caller, pathOf('shared', id));
  requireId('shared', id);
  const change = { kind: 'shared', id, does: 'update', caller, message: request.commit_message } as const;
  const answer = await changeArtifact(context, change, (present, at) => {
    const peer = peerIdOf(caller);
    if (present.owner_peer !== peer) throw forbidden('Only the owner may update a shared artifact');
    const lists = listsOf(request);
    requireTexts(request, lists);
    requireCommitMessage(request.commit_message);
    if (present.version !== request.expected_version) {
      throw coded(409, 'Shared coordination version conflict', 'shared_version_conflict');
    }
    const artifact: SharedState = {
      ...present,
      updated_at: at,
      title: request.title,
      summary: request.summary ?? null,
      shared_state: lists,
      version: present.version + 1,
      last_updated_by: peer,
    };
    return { artifact, columns: { sorted_at: at } };
  });
  return { ...answer, warnings: [] };
};
