import { peerIdOf } from '../continuity/access.ts';
import { given } from '../platform/database/built.ts';
import type { Reader } from '../platform/database/database.ts';
import type { Caller } from '../wire/caller.ts';
import { badRequest, DetailError, forbidden } from '../wire/memory/errors.ts';
import { type ArtifactKind, type Artifacts, isId, KINDS, pathOf } from './artifact.ts';
import { type ArtifactFilter, type FilingRow, findArtifact, queryArtifacts } from './artifact-store.ts';
import { coded, type CoordinationContext, isAdmin } from './coordination-context.ts';

export const notFoundOf = (kind: ArtifactKind): DetailError =>
  coded(404, `${KINDS[kind].noun} not found`, `${kind}_not_found`);

export function requireId(kind: ArtifactKind, id: string): void {
  if (!isId(kind, id)) throw badRequest(`Invalid ${kind} id`);
}

/** One that is there. Its column holds what we put there. */
export async function requireFound<Kind extends ArtifactKind>(
  reader: Reader,
  ownerId: string,
  kind: Kind,
  id: string,
): Promise<{ row: FilingRow; artifact: Artifacts[Kind] }> {
  const row = await findArtifact(reader, ownerId, kind, id);
  if (!row) throw notFoundOf(kind);
  return { row, artifact: JSON.parse(row.document) as Artifacts[Kind] };
}

/** Everyone who has to do with an artifact, where the caller is one of them. */
export function requireParty(
  kind: ArtifactKind,
  artifact: Artifacts[ArtifactKind],
  caller: Caller,
): readonly string[] {
  const parties =
    artifact.schema_type === 'continuity_handoff'
      ? [artifact.sender_peer, artifact.recipient_peer]
      : [artifact.owner_peer, ...artifact.participant_peers];
  if (isAdmin(caller) || parties.includes(peerIdOf(caller))) return parties;
  throw forbidden(`Not a party of this ${kind}`);
}

export async function readArtifact(
  { database }: CoordinationContext,
  caller: Caller,
  kind: ArtifactKind,
  id: string,
): Promise<object> {
  requireId(kind, id);
  const { artifact } = await requireFound(database.read, caller.ownerId, kind, id);
  requireParty(kind, artifact, caller);
  return { ok: true, [kind]: artifact, path: pathOf(kind, id) };
}

/** A list is narrowed by something, and who is no administrator asks about nobody but itself. */
export async function listArtifacts(
  { database }: CoordinationContext,
  caller: Caller,
  kind: ArtifactKind,
  filter: ArtifactFilter,
): Promise<object> {
  const peers = Object.values(given(filter.parties));
  // What became of a handoff narrows nothing by itself.
  const others = kind === 'handoff' ? {} : given(filter.equal);
  if (peers.length === 0 && Object.keys(others).length === 0) {
    throw badRequest('At least one filter is required');
  }
  const me = peerIdOf(caller);
  if (!isAdmin(caller) && (peers.length === 0 || peers.some((peer) => peer !== me))) {
    throw forbidden('A query may name no other peer than the caller');
  }
  const { rows, total } = await queryArtifacts(database.read, caller.ownerId, kind, filter);
  const found = rows.map(({ document }) => JSON.parse(document) as Artifacts[ArtifactKind]);
  return { ok: true, count: found.length, total_matches: total, warnings: [], [KINDS[kind].list]: found };
}
