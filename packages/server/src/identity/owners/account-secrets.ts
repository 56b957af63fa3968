import { WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import { makeSecret, openSecret, type SealedSecret } from '../../platform/auth/signing-secret.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { SigningSecrets } from '../../platform/outbound/webhook-signer.ts';
import type { IdentityService } from '../service.ts';
import { type AccountSecretName, storedSecret, storeSecret } from './account-secret-store.ts';
import { lockAccount } from './owner-store.ts';

/** What signs the webhooks of an owner's cues and alerts now, with the one before while that is still good. Made on first use. */
export async function signingSecrets(
  identity: IdentityService,
  ownerId: string,
  name: AccountSecretName,
): Promise<SigningSecrets> {
  const { database } = identity;
  const stored = await storedSecret(database.read, ownerId, name);
  const known = stored && openSecret(identity, stored, purpose(ownerId, name));
  return known ?? { current: await database.write((tx) => ensureAccountSecret(identity, tx, ownerId, name)) };
}

/** The one of whoever was first when two make it at once. */
export async function ensureAccountSecret(
  identity: IdentityService,
  tx: Tx,
  ownerId: string,
  name: AccountSecretName,
): Promise<string> {
  const stored = await heldSecret(tx, ownerId, name);
  const known = openSecret(identity, stored, purpose(ownerId, name));
  if (known) return known.current;
  const made = makeSecret(identity, purpose(ownerId, name), PREFIXES[name]);
  await storeSecret(tx, ownerId, name, made.sealed);
  return made.secret;
}

export async function rotateAccountSecret(
  identity: IdentityService,
  ownerId: string,
  name: AccountSecretName,
  overlapSeconds: number,
): Promise<{ secret: string; previousUntil: number | null }> {
  return await identity.database.write(async (tx) => {
    const stored = await heldSecret(tx, ownerId, name);
    const made = makeSecret(identity, purpose(ownerId, name), PREFIXES[name], stored, overlapSeconds);
    await storeSecret(tx, ownerId, name, made.sealed);
    return { secret: made.secret, previousUntil: made.sealed.previousUntil };
  });
}

async function heldSecret(tx: Tx, ownerId: string, name: AccountSecretName): Promise<SealedSecret> {
  await lockAccount(tx, ownerId);
  const stored = await storedSecret(tx, ownerId, name);
  if (!stored) throw new Error(`there is no owner to have a ${name}`);
  return stored;
}

const PREFIXES: Readonly<Record<AccountSecretName, string>> = {
  webhook_secret: WEBHOOK_SECRET_PREFIX,
  alert_webhook_secret: '',
};

const purpose = (ownerId: string, name: AccountSecretName): string => `${name}:${ownerId}`;
