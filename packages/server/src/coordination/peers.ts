import { hash } from 'node:crypto';
import type { Peer, TrustChange } from '@parley/protocol/coordination/artifacts';
import type { PeerRegister, PeerTrust } from '@parley/protocol/coordination/requests';
import type { TrustLevel } from '@parley/protocol/coordination/vocabulary';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { peerIdOf, requireRead, requireWrite } from '../continuity/access.ts';
import { columnText } from '../continuity/artifacts/artifact.ts';
import { latestCommit } from '../continuity/artifacts/commit-id.ts';
import { canonicalJson } from '../continuity/capsule/canonical.ts';
import type { Journal, JournalEntry } from '../continuity/journal.ts';
import { compareChars } from '../platform/chars.ts';
import type { Reader, Tx } from '../platform/database/database.ts';
import type { Caller } from '../wire/caller.ts';
import { badRequest, type DetailError } from '../wire/memory/errors.ts';
import { coded, type CoordinationContext, type PeerAction, writeOne } from './coordination-context.ts';
import { findPeer, type PeerRow, putPeer, registeredPeers } from './peer-store.ts';

export const REGISTRY_PATH = 'peers/registry.json';
export const CAPABILITIES_URL = '/v1/manifest';

/**
 * Trust grows and goes one step at a time. A first registration may begin anywhere.
 *
 * | from         | to                       |
 * |--------------|--------------------------|
 * | `untrusted`  | `restricted`             |
 * | `restricted` | `trusted`, `untrusted`   |
 * | `trusted`    | `restricted`             |
 */
const STEPS: Readonly<Record<TrustLevel, readonly TrustLevel[]>> = {
  untrusted: ['restricted'],
  restricted: ['trusted', 'untrusted'],
  trusted: ['restricted'],
};

/** Registered ones, and those that hold a key: these are restricted until somebody says otherwise. */
export const listPeers: PeerAction = async ({ database, keyHolders }, { caller }) => {
  requireRead(caller, REGISTRY_PATH);
  const rows = await registeredPeers(database.read, caller.ownerId);
  const registered = new Set(rows.map(({ peer_id: id }) => id));
  const holders = [...(await keyHolders(caller.ownerId))].filter((id) => !registered.has(id));
  const peers = [...rows.map(peerOf), ...holders.map(unregistered)];
  const byName = peers.toSorted((a, b) => compareChars(a.peer_id, b.peer_id));
  const changes = rows.map(({ updated_at: at }) => at).toSorted();
  return { ok: true, count: byName.length, peers: byName, updated_at: changes.at(-1) ?? null };
};

export const registerPeer: PeerAction<PeerRegister> = async (context, { caller, body: request }) => {
  requireWrite(caller, REGISTRY_PATH);
  const peerId = columnText(request.peer_id);
  return await changePeer(context, caller, 'peers.register', peerId, (present, now) => {
    const known = present ?? firstEntry(caller.ownerId, peerId, now);
    const key = request.public_key ?? known.public_key;
    const expected = request.expected_public_key_fingerprint;
    if (expected != null && expected !== fingerprintOf(key)) {
      throw badRequest('Public key fingerprint does not match');
    }
    const to = request.trust_level ?? known.trust_level;
    const reason = request.transition_reason ?? null;
    const change = { at: now, from: present?.trust_level ?? null, to, reason, by: peerIdOf(caller) };
    requireStep(change, key);
    return {
      ...known,
      base_url: columnText(request.base_url),
      public_key: key === null ? null : columnText(key),
      capabilities_url: columnText(request.capabilities_url ?? known.capabilities_url),
      trust_level: to,
      allowed_scopes: request.allowed_scopes ? JSON.stringify(request.allowed_scopes) : known.allowed_scopes,
      updated_at: now,
      trust_history: historyWith(known, change),
    };
  });
};

export const changeTrust: PeerAction<PeerTrust> = async (context, { caller, params, body: request }) => {
  requireWrite(caller, REGISTRY_PATH);
  const peerId = params.peer_id ?? '';
  const holders = await context.keyHolders(caller.ownerId);
  const { created: _created, ...answer } = await changePeer(
    context,
    caller,
    'peers.trust',
    peerId,
    (present, now) => {
      if (!present && !holders.has(peerId)) throw peerNotFound(peerId);
      const known = present ?? firstEntry(caller.ownerId, peerId, now);
      const expected = request.expected_public_key_fingerprint;
      if (expected != null && expected !== fingerprintOf(known.public_key)) {
        throw coded(409, 'Public key fingerprint does not match', 'peer_fingerprint_mismatch');
      }
      const { trust_level: to, reason } = request;
      const change = { at: now, from: known.trust_level, to, reason, by: peerIdOf(caller) };
      requireStep(change, known.public_key);
      return { ...known, trust_level: to, updated_at: now, trust_history: historyWith(known, change) };
    },
  );
  return answer;
};

async function changePeer(
  context: CoordinationContext,
  caller: Caller,
  operation: 'peers.register' | 'peers.trust',
  peerId: string,
  next: (present: PeerRow | undefined, now: string) => PeerRow,
) {
  const { ownerId } = caller;
  const now = context.clock.now();
  return await writeOne(context, operation.replace('.', '_'), `${ownerId}:peers`, async (tx) => {
    const present = await findPeer(tx, ownerId, peerId);
    const row = next(present, isoSeconds(now));
    const committed = !present || !isSame(present, row);
    if (committed) await putPeer(tx, row);
    const latest = committed
      ? await recordRegistry(context.journal, tx, row.updated_at, {
          ownerId,
          operation,
          now,
          peerId: peerIdOf(caller),
          commitMessage: `peers: ${operation.slice('peers.'.length)} ${row.peer_id}`,
        })
      : await latestCommit(tx, ownerId);
    const peer = peerOf(committed ? row : (present ?? row));
    return { ok: true, peer, created: !present, committed, latest_commit: latest };
  });
}

/** All but when it was last touched. */
const isSame = (one: PeerRow, other: PeerRow): boolean =>
  canonicalJson({ ...one, updated_at: '' }) === canonicalJson({ ...other, updated_at: '' });

/** The registry is one document of the memory: everyone who is registered, as it is exported. */
export async function recordRegistry(
  journal: Journal,
  tx: Tx,
  updatedAt: string,
  entry: Pick<JournalEntry, 'ownerId' | 'operation' | 'now' | 'peerId' | 'commitMessage'>,
): Promise<string> {
  const peers = (await registeredPeers(tx, entry.ownerId))
    .map(peerOf)
    .map(({ peer_id: id, ...record }) => [id, record]);
  const document = canonicalJson({
    peers: Object.fromEntries(peers) as object,
    schema_version: '1.0',
    updated_at: updatedAt,
  });
  return await journal.record(tx, {
    ...entry,
    kind: 'peers',
    slug: 'registry',
    path: REGISTRY_PATH,
    document,
  });
}
function requireStep({ from, to, reason }: TrustChange, key: string | null): void {
  if (from !== null && from !== to) {
    if (!STEPS[from].includes(to)) {
      throw coded(409, `Trust transition not allowed: ${from} -> ${to}`, 'trust_transition_not_allowed');
    }
    if (reason === null || reason.trim() === '') throw badRequest('A trust transition needs a reason');
  }
  if (to === 'trusted' && key === null) throw badRequest('trusted needs a public key fingerprint');
}

/** What changes nothing is no part of it. */
function historyWith(known: PeerRow, change: TrustChange): string {
  const history = JSON.parse(known.trust_history) as TrustChange[];
  return JSON.stringify(change.from === change.to ? history : [...history, change]);
}

const fingerprintOf = (key: string | null): string | null =>
  key === null ? null : `sha256:${hash('sha256', key)}`;

function peerOf(row: PeerRow): Peer {
  return {
    peer_id: row.peer_id,
    base_url: row.base_url,
    public_key: row.public_key,
    public_key_fingerprint: fingerprintOf(row.public_key),
    capabilities_url: row.capabilities_url,
    trust_level: row.trust_level,
    allowed_scopes: JSON.parse(row.allowed_scopes) as string[],
    created_at: row.created_at,
    updated_at: row.updated_at,
    trust_history: JSON.parse(row.trust_history) as TrustChange[],
  };
}

const firstEntry = (ownerId: string, peerId: string, now: string): PeerRow => ({
  owner_id: ownerId,
  peer_id: peerId,
  base_url: null,
  public_key: null,
  capabilities_url: CAPABILITIES_URL,
  trust_level: 'restricted',
  allowed_scopes: '[]',
  created_at: now,
  updated_at: now,
  trust_history: '[]',
});

const unregistered = (peerId: string): Peer => ({
  ...peerOf(firstEntry('', peerId, '')),
  created_at: null,
  updated_at: null,
});

const peerNotFound = (id: string): DetailError => coded(404, `Peer not found: ${id}`, 'peer_not_found');

/** Whoever an artifact names has to be known, and not be distrusted. */
export async function requirePeer(
  reader: Reader,
  ownerId: string,
  holders: ReadonlySet<string>,
  peerId: string,
): Promise<void> {
  const row = await findPeer(reader, ownerId, columnText(peerId));
  if (!row && !holders.has(peerId)) throw peerNotFound(peerId);
  if (row?.trust_level === 'untrusted') throw coded(409, `Peer is untrusted: ${peerId}`, 'peer_untrusted');
}
