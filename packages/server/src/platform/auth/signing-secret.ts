import { WEBHOOK_SECRET_BYTES } from '@parley/protocol/identity/credentials';
import type { Clock } from '../clock.ts';
import type { Random } from '../ids.ts';
import type { SigningSecrets } from '../outbound/webhook-signer.ts';
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

export interface SigningSecretOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly secrets: SecretBox;
}

export const NO_SECRET: SealedSecret = { current: null, previous: null, previousUntil: null };

/**
 * What signs webhooks. Unlike keys these must be known in full, so they rest sealed, each bound by its purpose to its row and
 * use. A new one takes the place of the old, which stays good beside it for the overlap, if there is one.
 */
export class SigningSecretMaker {
  readonly #options: SigningSecretOptions;

  constructor(options: SigningSecretOptions) {
    this.#options = options;
  }

  make(purpose: string, prefix: string): MadeSecret {
    return this.rotate(NO_SECRET, purpose, prefix, 0);
  }

  rotate(
    { current: old }: SealedSecret,
    purpose: string,
    prefix: string,
    overlapSeconds: number,
  ): MadeSecret {
    const { clock, random, secrets } = this.#options;
    const secret = `${prefix}${random.hex(WEBHOOK_SECRET_BYTES)}`;
    const kept = old !== null && overlapSeconds > 0;
    const sealed = {
      current: secrets.seal(secret, purpose),
      previous: kept ? old : null,
      previousUntil: kept ? clock.now() + overlapSeconds * 1000 : null,
    };
    return { secret, sealed };
  }

  /** Read when signing, never stored with what is signed. */
  open({ current, previous, previousUntil }: SealedSecret, purpose: string): SigningSecrets | undefined {
    if (current === null) return undefined;
    const { clock, secrets } = this.#options;
    const stillGood = previous !== null && previousUntil !== null && clock.now() < previousUntil;
    return {
      current: secrets.open(current, purpose),
      previous: stillGood ? secrets.open(previous, purpose) : undefined,
    };
  }
}
