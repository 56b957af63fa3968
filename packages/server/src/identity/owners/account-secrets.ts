import { WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import { SigningSecretMaker, type SigningSecretOptions } from '../../platform/auth/signing-secret.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { type AccountSecretName, storedSecret, storeSecret } from './account-secret-store.ts';
import { lockAccount } from './owner-store.ts';

export interface AccountSecretsOptions extends SigningSecretOptions {
  readonly database: Database;
}

/** What signs the webhooks of an owner's cues and alerts. */
export class AccountSecrets {
  readonly #database: Database;
  readonly #maker: SigningSecretMaker;

  constructor(options: AccountSecretsOptions) {
    this.#database = options.database;
    this.#maker = new SigningSecretMaker(options);
  }

  /** Made on first read. */
  async read(ownerId: string, name: AccountSecretName): Promise<string> {
    const stored = await storedSecret(this.#database.read, ownerId, name);
    const known = stored && this.#maker.open(stored, purpose(ownerId, name));
    return known?.current ?? (await this.#database.write((tx) => this.ensure(tx, ownerId, name)));
  }

  /** The one of whoever was first when two make it at once. */
  async ensure(tx: Tx, ownerId: string, name: AccountSecretName): Promise<string> {
    await lockAccount(tx, ownerId);
    const stored = await storedSecret(tx, ownerId, name);
    if (!stored) throw new Error(`there is no owner to have a ${name}`);
    const known = this.#maker.open(stored, purpose(ownerId, name));
    if (known) return known.current;
    const made = this.#maker.make(purpose(ownerId, name), PREFIXES[name]);
    await storeSecret(tx, ownerId, name, made.sealed);
    return made.secret;
  }

  async rotate(
    ownerId: string,
    name: AccountSecretName,
    overlapSeconds: number,
  ): Promise<{ secret: string; previousUntil: number | null }> {
    return await this.#database.write(async (tx) => {
      await lockAccount(tx, ownerId);
      const stored = await storedSecret(tx, ownerId, name);
      if (!stored) throw new Error(`there is no owner to have a ${name}`);
      const made = this.#maker.rotate(stored, purpose(ownerId, name), PREFIXES[name], overlapSeconds);
      await storeSecret(tx, ownerId, name, made.sealed);
      return { secret: made.secret, previousUntil: made.sealed.previousUntil };
    });
  }
}

const PREFIXES: Readonly<Record<AccountSecretName, string>> = {
  webhook_secret: WEBHOOK_SECRET_PREFIX,
  alert_webhook_secret: '',
};

const purpose = (ownerId: string, name: AccountSecretName): string => `${name}:${ownerId}`;
