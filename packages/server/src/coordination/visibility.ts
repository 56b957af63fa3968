import { peerIdOf } from '../continuity/access.ts';
import type { Reader } from '../platform/database/database.ts';
import type { Caller } from '../wire/caller.ts';
import { badRequest, DetailError, forbidden } from '../wire/memory/errors.ts';
import { type ArtifactKind, type Artifacts, isId, pathOf } from './artifact.ts';
import { type ArtifactFilter, type ArtifactRow, findArtifact, queryArtifacts } from './artifact-store.ts';
import { coded, type CoordinationContext, isAdmin } from './coordination-context.ts';

const NOUNS: Readonly<Record<ArtifactKind, string>> = {
  handoff: 'Handoff',
  shared: 'Shared coordination artifact',
  reconciliation: 'Reconciliation',
};

export const notFoundOf = (kind: ArtifactKind): DetailError =>
  coded(404, `${NOUNS[kind]} not found`, `${kind}_not_found`);

export function requireId(kind: ArtifactKind, id: string): void {
  if (!isId(kind, id)) throw badRequest(`Invalid ${kind} id`);
}

/** One that is there. Its column holds what we put there. */
export async function requireFound<Kind extends ArtifactKind>(
  reader: Reader,
  ownerId: string,
  kind: Kind,
  id: string,
): Promise<{ row: ArtifactRow; artifact: Artifacts[Kind] }> {
  const row = await findArtifact(reader, ownerId, kind, id);
  if (!row) throw notFoundOf(kind);
  return { row, artifact: JSON.parse(row.document) as Artifacts[Kind] };
}

/** Everyone who has to do with an artifact. */
const partiesOf: {
  readonly [Kind in ArtifactKind]: (artifact: Artifacts[Kind]) => readonly string[];
} = {
  handoff: ({ sender_peer: sender, recipient_peer: recipient }) => [sender, recipient],
  shared: ({ owner_peer: owner, participant_peers: others }) => [owner, ...others],
  reconciliation: ({ owner_peer: owner, participant_peers: others }) => [owner, ...others],
};

/** All of them, where the caller is one. */
export function requireParty<Kind extends ArtifactKind>(
  kind: Kind,
  artifact: Artifacts[Kind],
  caller: Caller,
): readonly string[] {
  const parties = partiesOf[kind](artifact);
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

const LISTS: Readonly<Record<ArtifactKind, string>> = {
  handoff: 'handoffs',
  shared: 'shared_artifacts',
  reconciliation: 'reconciliations',
};

export async function listArtifacts(
  { database }: CoordinationContext,
  caller: Caller,
  kind: ArtifactKind,
  filter: ArtifactFilter,
): Promise<object> {
  const { rows, total } = await queryArtifacts(database.read, caller.ownerId, kind, filter);
  const found = rows.map(({ document }) => JSON.parse(document) as Artifacts[ArtifactKind]);
  return { ok: true, count: found.length, total_matches: total, warnings: [], [LISTS[kind]]: found };
}

/** A list is narrowed by something, and who is no administrator asks about nobody but itself. */
export function requireOwnQuestion(
  caller: Caller,
  named: readonly (string | undefined)[],
  others: readonly (string | undefined)[] = [],
): void {
  const peers = named.filter((peer) => peer !== undefined);
  if (peers.length === 0 && others.every((value) => value === undefined)) {
    throw badRequest('At least one filter is required');
  }
  if (isAdmin(caller)) return;
  const me = peerIdOf(caller);
  if (peers.length === 0 || peers.some((peer) => peer !== me)) {
    throw forbidden('A query may name no other peer than the caller');
  }
}
