import { WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import { makeSecret, NO_SECRET, openSecret, type SecretParts } from '../../platform/auth/signing-secret.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import type { SigningSecrets } from '../../platform/outbound/webhook-signer.ts';
import { storedAgentSecret, storeAgentSecret } from './webhook-secret-store.ts';

/** The secret that signs what is posted to an agent, and the one before while it is still good. */
export async function webhookSecrets(
  parts: Pick<SecretParts, 'clock' | 'secrets'>,
  reader: Reader,
  suffix: string,
): Promise<SigningSecrets | undefined> {
  const stored = await storedAgentSecret(reader, suffix);
  return stored && openSecret(parts, stored, purpose(suffix));
}

/** Made with the first URL and kept over further ones. Returns it when it is new. Whoever changes one holds the agent's lock. */
export async function ensureSecret(parts: SecretParts, tx: Tx, suffix: string): Promise<string | null> {
  const stored = await storedAgentSecret(tx, suffix);
  if (stored?.current) return null;
  return (await rotateSecret(parts, tx, suffix, 0)).secret;
}

export async function clearSecret(tx: Tx, suffix: string): Promise<void> {
  await storeAgentSecret(tx, suffix, NO_SECRET);
}

export async function rotateSecret(
  parts: SecretParts,
  tx: Tx,
  suffix: string,
  overlapSeconds: number,
): Promise<{ secret: string; previousUntil: number | null }> {
  const stored = await storedAgentSecret(tx, suffix);
  const made = makeSecret(parts, purpose(suffix), WEBHOOK_SECRET_PREFIX, stored, overlapSeconds);
  await storeAgentSecret(tx, suffix, made.sealed);
  return { secret: made.secret, previousUntil: made.sealed.previousUntil };
}

const purpose = (suffix: string): string => `agent-webhook-secret:${suffix}`;
