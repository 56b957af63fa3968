import { peer } from '@parley/protocol/coordination/artifacts';
import { TRUST_LEVELS } from '@parley/protocol/coordination/vocabulary';
import { z } from 'zod';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { columnText } from '../continuity/artifacts/artifact.ts';
import { type ForeignFolder, jsonDocument } from '../continuity/import/foreign-folder.ts';
import type { Journal } from '../continuity/journal.ts';
import type { Tx } from '../platform/database/database.ts';
import { folderTime } from './folder-time.ts';
import { findPeer, type PeerRow, putPeer } from './peer-store.ts';
import { CAPABILITIES_URL, recordRegistry, REGISTRY_PATH } from './peers.ts';

const { trust_history: history, base_url: text } = peer.shape;

/** What a registry has to say of a peer; what it leaves out is as after a first registration. */
const registry = z.looseObject({
  peers: z.record(
    z.string().min(1),
    z.looseObject({
      base_url: text.optional(),
      public_key: text.optional(),
      capabilities_url: z.string().optional(),
      trust_level: z.enum(TRUST_LEVELS),
      allowed_scopes: z.array(z.string()).optional(),
      created_at: folderTime,
      updated_at: folderTime,
      trust_history: history.optional(),
    }),
  ),
  updated_at: folderTime.optional(),
});

/** Who is known, as it lies in a folder. Of a peer that is here already, the later entry counts. */
export function registryFolder(journal: Journal): ForeignFolder {
  return {
    folder: 'peers',
    holds: (path) => path === REGISTRY_PATH,
    read(_path, bytes) {
      const { data: read } = registry.safeParse(jsonDocument(bytes)?.value);
      if (!read) return 'not a registry of peers';
      return async (tx, { ownerId, peerId, now, raw }) => {
        await tx.lock(`coordination:${ownerId}:peers`);
        const rows = rowsOf(ownerId, read);
        let taken = 0;
        for (const row of rows) taken += Number(await takePeer(tx, row, raw));
        if (taken === 0) return { kind: 'unchanged' };
        await recordRegistry(journal, tx, read.updated_at ?? isoSeconds(now), {
          ownerId,
          operation: 'peers.import',
          now,
          peerId,
          commitMessage: `peers: import ${REGISTRY_PATH}`,
        });
        return { kind: 'taken' };
      };
    },
  };
}

async function takePeer(tx: Tx, row: PeerRow, raw: boolean): Promise<boolean> {
  const present = await findPeer(tx, row.owner_id, row.peer_id);
  if (present && (isSame(present, row) || (!raw && present.updated_at > row.updated_at))) return false;
  await putPeer(tx, row);
  return true;
}

const isSame = (one: PeerRow, other: PeerRow): boolean =>
  Object.entries(other).every(([name, value]) => one[name as keyof PeerRow] === value);

function rowsOf(ownerId: string, { peers }: z.output<typeof registry>): PeerRow[] {
  return Object.entries(peers).map(([id, said]) => ({
    owner_id: ownerId,
    peer_id: columnText(id),
    base_url: said.base_url == null ? null : columnText(said.base_url),
    public_key: said.public_key == null ? null : columnText(said.public_key),
    capabilities_url: columnText(said.capabilities_url ?? CAPABILITIES_URL),
    trust_level: said.trust_level,
    allowed_scopes: JSON.stringify(said.allowed_scopes ?? []),
    created_at: said.created_at,
    updated_at: said.updated_at,
    trust_history: JSON.stringify(said.trust_history ?? []),
  }));
}
