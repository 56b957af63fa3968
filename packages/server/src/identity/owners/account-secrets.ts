import { WEBHOOK_SECRET_BYTES, WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import type { SecretBox } from '../../platform/auth/secret-box.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Random } from '../../platform/ids.ts';
import {
  type AccountSecretName,
  replaceSecret,
  sealedSecret,
  setFirstSecret,
} from './account-secret-store.ts';

export interface AccountSecretsOptions {
  database: Database;
  clock: Clock;
  random: Random;
  secrets: SecretBox;
}

/** Unlike keys they must be known in full to sign with, so they rest sealed, each bound to its owner and its use. */
export class AccountSecrets {
  readonly #options: AccountSecretsOptions;

  constructor(options: AccountSecretsOptions) {
    this.#options = options;
  }

  /** Made on first read. */
  async read(ownerId: string, name: AccountSecretName): Promise<string> {
    const { database } = this.#options;
    const known = await sealedSecret(database.read, ownerId, name);
    const sealed = known ?? (await database.write((tx) => this.ensure(tx, ownerId, name)));
    return this.#options.secrets.open(sealed, purpose(ownerId, name));
  }

  /** The sealed secret; the one of whoever was first when two make it at once. */
  async ensure(tx: Tx, ownerId: string, name: AccountSecretName): Promise<string> {
    await setFirstSecret(tx, ownerId, name, this.#sealed(ownerId, name, this.#fresh(name)));
    const sealed = await sealedSecret(tx, ownerId, name);
    if (sealed === null) throw new Error(`the owner has no ${name}`);
    return sealed;
  }

  /** The old secret stays good beside the new one for the overlap, if there is one. */
  async rotate(
    ownerId: string,
    name: AccountSecretName,
    overlapSeconds: number,
  ): Promise<{ secret: string; previousUntil: number | null }> {
    const { database, clock } = this.#options;
    const secret = this.#fresh(name);
    const sealed = this.#sealed(ownerId, name, secret);
    return await database.write(async (tx) => {
      await tx.lock(`identity.secrets:${ownerId}`);
      const old = await sealedSecret(tx, ownerId, name);
      const kept = old !== null && overlapSeconds > 0;
      const previousUntil = kept ? clock.now() + overlapSeconds * 1000 : null;
      await replaceSecret(tx, ownerId, name, { sealed, previous: kept ? old : null, previousUntil });
      return { secret, previousUntil };
    });
  }

  #fresh(name: AccountSecretName): string {
    const text = this.#options.random.hex(WEBHOOK_SECRET_BYTES);
    return name === 'webhook_secret' ? `${WEBHOOK_SECRET_PREFIX}${text}` : text;
  }

  #sealed(ownerId: string, name: AccountSecretName, secret: string): string {
    return this.#options.secrets.seal(secret, purpose(ownerId, name));
  }
}

const purpose = (ownerId: string, name: AccountSecretName): string => `${name}:${ownerId}`;
