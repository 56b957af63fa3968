import type { SigningSecrets } from '../outbound/webhook-signer.ts';
import type { Parts } from '../parts.ts';
import type { SecretBox } from './secret-box.ts';

/** As a row holds it: sealed, with the one before until it is no longer good. */
export interface SealedSecret {
  readonly current: string | null;
  readonly previous: string | null;
  readonly previousUntil: number | null;
}

export interface MadeSecret {
  /** As it is shown, once. */
  readonly secret: string;
  readonly sealed: SealedSecret & { readonly current: string };
}

/** What secrets are made and opened with. */
export interface SecretParts extends Pick<Parts, 'clock' | 'random'> {
  readonly secrets: SecretBox;
}

const SECRET_BYTES = 32;

export const NO_SECRET: SealedSecret = { current: null, previous: null, previousUntil: null };

/**
 * What signs webhooks. Unlike keys these must be known in full, so they rest sealed, each bound by its purpose to its row and
 * use. A new one takes the place of the old, which stays good beside it for the overlap, if there is one.
 */
export function makeSecret(
  { clock, random, secrets }: SecretParts,
  purpose: string,
  prefix: string,
  { current: old }: SealedSecret = NO_SECRET,
  overlapSeconds = 0,
): MadeSecret {
  const secret = `${prefix}${random.hex(SECRET_BYTES)}`;
  const kept = old !== null && overlapSeconds > 0;
  const sealed = {
    current: secrets.seal(secret, purpose),
    previous: kept ? old : null,
    previousUntil: kept ? clock.now() + overlapSeconds * 1000 : null,
  };
  return { secret, sealed };
}

/** Read when signing, never stored with what is signed. */
export function openSecret(
  { clock, secrets }: Pick<SecretParts, 'clock' | 'secrets'>,
  { current, previous, previousUntil }: SealedSecret,
  purpose: string,
): SigningSecrets | undefined {
  if (current === null) return undefined;
  const stillGood = previous !== null && previousUntil !== null && clock.now() < previousUntil;
  return {
    current: secrets.open(current, purpose),
    previous: stillGood ? secrets.open(previous, purpose) : undefined,
  };
}
