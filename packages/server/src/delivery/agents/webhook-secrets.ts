import { WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import {
  NO_SECRET,
  SigningSecretMaker,
  type SigningSecretOptions,
} from '../../platform/auth/signing-secret.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import type { SigningSecrets } from '../../platform/outbound/webhook-signer.ts';
import { storedSecret, storeSecret } from './webhook-secret-store.ts';

/** The secrets that sign what is posted to agents. Whoever changes one holds the agent's lock. */
export class WebhookSecrets {
  readonly #maker: SigningSecretMaker;

  constructor(options: SigningSecretOptions) {
    this.#maker = new SigningSecretMaker(options);
  }

  /** The secret in use, and the one before while it is still good. */
  async read(reader: Reader, suffix: string): Promise<SigningSecrets | undefined> {
    const stored = await storedSecret(reader, suffix);
    return stored && this.#maker.open(stored, purpose(suffix));
  }

  /** Made with the first URL and kept over further ones. Returns it when it is new. */
  async ensure(tx: Tx, suffix: string): Promise<string | null> {
    const stored = await storedSecret(tx, suffix);
    if (stored?.current) return null;
    return (await this.rotate(tx, suffix, 0)).secret;
  }

  async clear(tx: Tx, suffix: string): Promise<void> {
    await storeSecret(tx, suffix, NO_SECRET);
  }

  async rotate(
    tx: Tx,
    suffix: string,
    overlapSeconds: number,
  ): Promise<{ secret: string; previousUntil: number | null }> {
    const stored = (await storedSecret(tx, suffix)) ?? NO_SECRET;
    const made = this.#maker.rotate(stored, purpose(suffix), WEBHOOK_SECRET_PREFIX, overlapSeconds);
    await storeSecret(tx, suffix, made.sealed);
    return { secret: made.secret, previousUntil: made.sealed.previousUntil };
  }
}

const purpose = (suffix: string): string => `agent-webhook-secret:${suffix}`;
