import { peerIdOf } from '../continuity/access.ts';
import type { Caller } from '../wire/caller.ts';
import { badRequest, DetailError, forbidden } from '../wire/memory/errors.ts';
import type { ArtifactKind, Artifacts } from './artifact.ts';
import { isId } from './artifact.ts';
import type { ArtifactRow } from './artifact-store.ts';
import { coded, isAdmin } from './coordination-context.ts';

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

/** The document of a row that is there. The column holds what we put there. */
export function requireFound<Kind extends ArtifactKind>(
  kind: Kind,
  row: ArtifactRow | undefined,
): Artifacts[Kind] {
  if (!row) throw notFoundOf(kind);
  return JSON.parse(row.document) as Artifacts[Kind];
}

/** Everyone who has to do with an artifact. */
export const partiesOf: {
  readonly [Kind in ArtifactKind]: (artifact: Artifacts[Kind]) => readonly string[];
} = {
  handoff: ({ sender_peer: sender, recipient_peer: recipient }) => [sender, recipient],
  shared: ({ owner_peer: owner, participant_peers: others }) => [owner, ...others],
  reconciliation: ({ owner_peer: owner, participant_peers: others }) => [owner, ...others],
};

export function requireParty<Kind extends ArtifactKind>(
  kind: Kind,
  artifact: Artifacts[Kind],
  caller: Caller,
): void {
  if (isAdmin(caller) || partiesOf[kind](artifact).includes(peerIdOf(caller))) return;
  throw forbidden(`Not a party of this ${kind}`);
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
