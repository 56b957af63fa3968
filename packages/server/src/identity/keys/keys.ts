import {
  AGENT_KEY_BYTES,
  AGENT_KEY_PREFIX,
  OWNER_KEY_BYTES,
  OWNER_KEY_PREFIX,
  SHOWN_KEY_LENGTH,
} from '@parley/protocol/identity/credentials';
import { AGENT_KEY_SCOPES, ALL_NAMESPACES, OWNER_KEY_SCOPES } from '@parley/protocol/identity/scopes';
import { SELF_SLUG } from '@parley/protocol/identity/slug';
import { mustFit } from '../../wire/delivery/budget.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Tx } from '../../platform/database/database.ts';
import { randomText, uuid } from '../../platform/ids.ts';
import { countKeys, insertKey, type KeyRow, liveHolders, markRevoked, readKey } from './key-store.ts';
import type { IdentityService } from '../service.ts';
import { announceRevoked } from './revocations.ts';
import { markEndedOfKey, moveToKey } from './session-store.ts';

/** As they are asked for. */
export interface KeyRules {
  readonly label?: string | null | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly read_namespaces?: readonly string[] | undefined;
  readonly write_namespaces?: readonly string[] | undefined;
  readonly expires_at?: number | null | undefined;
}

/** A key at the only moment its text is known. */
export interface MintedKey {
  readonly secret: string;
  readonly key: KeyRow;
}

/** An agent's key acts as that agent; a key without one is owner-wide. */
export async function mintKey(
  { random, clock }: IdentityService,
  tx: Tx,
  ownerId: string,
  agentSuffix: string | null,
  rules: KeyRules = {},
): Promise<MintedKey> {
  const secret =
    agentSuffix === null
      ? `${OWNER_KEY_PREFIX}${random.hex(OWNER_KEY_BYTES)}`
      : `${AGENT_KEY_PREFIX}${randomText(random, AGENT_KEY_BYTES)}`;
  const scopes = rules.scopes ?? (agentSuffix === null ? OWNER_KEY_SCOPES : AGENT_KEY_SCOPES);
  const key: KeyRow = {
    id: uuid(random),
    owner_id: ownerId,
    agent_suffix: agentSuffix,
    prefix: secret.slice(0, SHOWN_KEY_LENGTH),
    label: rules.label ?? null,
    scopes: listText(scopes),
    read_namespaces: listText(rules.read_namespaces ?? ALL_NAMESPACES),
    write_namespaces: listText(rules.write_namespaces ?? ALL_NAMESPACES),
    expires_at: rules.expires_at ?? null,
    created_at: clock.now(),
    last_used_at: null,
  };
  await insertKey(tx, key, hashSecret(secret));
  return { secret, key };
}

/** One more key of an account that is there, as far as its budget goes. */
export async function mintKeyWithin(
  identity: IdentityService,
  tx: Tx,
  ownerId: string,
  agentSuffix: string | null,
  rules: KeyRules,
): Promise<MintedKey> {
  await mustFit(tx, ownerId, identity.budgets.keys, countKeys);
  return await mintKey(identity, tx, ownerId, agentSuffix, rules);
}

/** The key and the sessions it opened end. False when there is no such key. */
export function revokeKey(
  { database, clock, bus }: IdentityService,
  ownerId: string,
  keyId: string,
): Promise<boolean> {
  return database.write(async (tx) => {
    const now = clock.now();
    if (!(await markRevoked(tx, ownerId, keyId, { now, rotated: false }))) return false;
    const sessions = await markEndedOfKey(tx, ownerId, keyId, now);
    announceRevoked(bus, tx, [keyId, ...sessions]);
    return true;
  });
}

/**
 * A new key with the rules of the old one, which ends together with its sessions; only `keptSession`, the one that
 * asked, moves over to the new key. Undefined when somebody else was first.
 */
export function rotateKey(
  identity: IdentityService,
  ownerId: string,
  keyId: string,
  keptSession?: string,
): Promise<MintedKey | undefined> {
  const { database, clock, bus } = identity;
  return database.write(async (tx) => {
    const now = clock.now();
    const old = await readKey(tx, ownerId, keyId);
    if (!old || !(await markRevoked(tx, ownerId, keyId, { now, rotated: true }))) return undefined;
    const minted = await mintKey(identity, tx, ownerId, old.agent_suffix, rulesOf(old));
    if (keptSession !== undefined) await moveToKey(tx, ownerId, keptSession, minted.key.id);
    const sessions = await markEndedOfKey(tx, ownerId, keyId, now);
    announceRevoked(bus, tx, [keyId, ...sessions]);
    return minted;
  });
}

/** Who can call as a peer of the owner now, by slug: agents with a key, and the owner's own where a key is owner-wide. */
export async function keyHolders(
  { database, clock }: IdentityService,
  ownerId: string,
): Promise<ReadonlySet<string>> {
  const rows = await liveHolders(database.read, ownerId, clock.now());
  return new Set(rows.map(({ slug }) => slug ?? SELF_SLUG));
}

export const listOf = (text: string): string[] => JSON.parse(text);
const listText = (list: readonly string[]): string => JSON.stringify([...new Set(list)]);

const rulesOf = (key: KeyRow): KeyRules => ({
  ...key,
  scopes: listOf(key.scopes),
  read_namespaces: listOf(key.read_namespaces),
  write_namespaces: listOf(key.write_namespaces),
});
