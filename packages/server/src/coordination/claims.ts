import {
  CLAIMS,
  EVIDENCE_REFS,
  PEER_CHARS,
  SOURCE_ID_CHARS,
  SUMMARY_CHARS,
  TITLE_CHARS,
} from '@parley/protocol/coordination/limits';
import type { ReconciliationClaim } from '@parley/protocol/coordination/artifacts';
import type { ReconciliationOpen, SentClaim } from '@parley/protocol/coordination/requests';
import type { SourceKind, Trigger } from '@parley/protocol/coordination/vocabulary';
import type { Caller } from '../wire/caller.ts';
import { badRequest } from '../wire/memory/errors.ts';
import type { Artifacts } from './artifact.ts';
import { findArtifact } from './artifact-store.ts';
import {
  coded,
  type CoordinationContext,
  requireCommitMessage,
  requireText,
} from './coordination-context.ts';
import { requirePeer } from './peers.ts';
import { requireId, requireParty } from './visibility.ts';

/** Which sources the claims of a record may and must be about. */
const SOURCES: Readonly<Record<Trigger, readonly SourceKind[]>> = {
  handoff_vs_handoff: ['handoff'],
  shared_vs_shared: ['shared'],
  concurrent_mutation_race: ['shared'],
  handoff_vs_shared: ['handoff', 'shared'],
};

/** Everything that can be said about the claims without looking at their sources, in a fixed order. */
export function checkedClaims(request: ReconciliationOpen): readonly ReconciliationClaim[] {
  const sent = request.claims ?? [];
  requireText('title', request.title, TITLE_CHARS, 1);
  if (request.summary != null) requireText('summary', request.summary, SUMMARY_CHARS, 1);
  for (const claim of sent) requireClaimTexts(claim);
  requireCommitMessage(request.commit_message);
  if (sent.length < CLAIMS.least) throw badRequest('At least two claims are required');
  if (!request.task_id && !request.thread_id) throw badRequest('task_id or thread_id is required');
  requireDistinct(sent);
  const kinds = new Set(sent.map(({ source_kind: kind }) => kind));
  const wanted = SOURCES[request.trigger];
  if (kinds.size !== wanted.length || !wanted.every((kind) => kinds.has(kind))) {
    throw badRequest(`trigger ${request.trigger} does not fit the sources of the claims`);
  }
  return sent.map(({ evidence_refs: refs, observed_version: observed, ...claim }) => ({
    ...claim,
    evidence_refs: refs ?? [],
    observed_version: observed ?? null,
  }));
}

function requireClaimTexts(claim: SentClaim): void {
  requireText('source_id', claim.source_id, SOURCE_ID_CHARS, 1);
  requireText('claimant_peer', claim.claimant_peer, PEER_CHARS, 1);
  requireText('claim_summary', claim.claim_summary, SUMMARY_CHARS, 1);
  for (const ref of claim.evidence_refs ?? []) requireText('evidence_refs', ref, EVIDENCE_REFS.chars, 1);
}

function requireDistinct(claims: readonly SentClaim[]): void {
  const seen = new Set<string>();
  for (const {
    source_kind: kind,
    source_id: id,
    claimant_peer: peer,
    observed_version: observed,
  } of claims) {
    const name = JSON.stringify([kind, id, peer]);
    if (seen.has(name)) throw badRequest('claims must not repeat a source and claimant');
    seen.add(name);
    if (kind === 'shared' && observed == null)
      throw badRequest('observed_version is required for shared claims');
    if (kind === 'handoff' && observed != null)
      throw badRequest('observed_version is not allowed for handoff claims');
  }
}

type Source = Artifacts[SourceKind];

/** What is claimed is about something both the opener and the claimant have to do with. */
export async function requireSources(
  { database, keyHolders }: CoordinationContext,
  caller: Caller,
  claims: readonly ReconciliationClaim[],
): Promise<void> {
  const { ownerId } = caller;
  const holders = await keyHolders(ownerId);
  for (const { claimant_peer: peer } of claims) await requirePeer(database.read, ownerId, holders, peer);
  const sources: [ReconciliationClaim, Source][] = [];
  for (const claim of claims) {
    const { source_kind: kind, source_id: id } = claim;
    requireId(kind, id);
    const row = await findArtifact(database.read, ownerId, kind, id);
    if (!row) throw coded(404, 'Referenced source artifact not found', 'source_not_found');
    sources.push([claim, JSON.parse(row.document) as Source]);
  }
  for (const [claim, artifact] of sources) {
    const concerned = requireParty(claim.source_kind, artifact, caller);
    if (!concerned.includes(claim.claimant_peer))
      throw badRequest('claimant_peer is not a party of the source');
    if ('version' in artifact && (claim.observed_version ?? 0) > artifact.version) {
      throw badRequest('observed_version is beyond the version of the source');
    }
  }
}
