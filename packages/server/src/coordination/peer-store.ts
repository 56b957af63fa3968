import type { TrustLevel } from '@parley/protocol/coordination/vocabulary';
import type { Reader, Tx } from '../platform/database/database.ts';
import { column, type RowOf, table } from '../platform/database/table.ts';

const peers = table('coordination_peers', {
  owner_id: column<string>(),
  peer_id: column<string>(),
  base_url: column<string | null>(),
  public_key: column<string | null>(),
  capabilities_url: column<string>(),
  trust_level: column<TrustLevel>(),
  /** A JSON list. */
  allowed_scopes: column<string>(),
  created_at: column<string>(),
  updated_at: column<string>(),
  /** A JSON list. */
  trust_history: column<string>(),
});

export type PeerRow = RowOf<typeof peers>;

export function findPeer(reader: Reader, ownerId: string, peerId: string): Promise<PeerRow | undefined> {
  return reader.get<PeerRow>(peers.select`WHERE owner_id = ${ownerId} AND peer_id = ${peerId}`);
}

/** By name. */
export function registeredPeers(reader: Reader, ownerId: string): Promise<PeerRow[]> {
  return reader.all<PeerRow>(peers.select`WHERE owner_id = ${ownerId} ORDER BY peer_id`);
}

const put = peers.upsert('owner_id', 'peer_id');

export async function putPeer(tx: Tx, row: PeerRow): Promise<void> {
  await tx.run(put(row));
}
