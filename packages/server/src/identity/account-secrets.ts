import { WEBHOOK_SECRET_BYTES, WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import type { SecretBox } from '../platform/auth/secret-box.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Reader, Tx } from '../platform/database/database.ts';
import type { Random } from '../platform/ids.ts';

/** An owner's two signing secrets: for cue webhooks and for alerts. */
export type AccountSecretName = 'webhook_secret' | 'alert_webhook_secret';

interface SecretColumns {
  id: string;
  webhook_secret: string | null;
  previous_webhook_secret: string | null;
  previous_webhook_secret_until: number | null;
  alert_webhook_secret: string | null;
  previous_alert_webhook_secret: string | null;
  previous_alert_webhook_secret_until: number | null;
}

interface OwnerTables {
  owners: SecretColumns;
}

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
    await tx
      .kysely<OwnerTables>()
      .updateTable('owners')
      .set({ [name]: this.#sealed(ownerId, name, this.#fresh(name)) })
      .where('id', '=', ownerId)
      .where(name, 'is', null)
      .execute();
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
      await tx
        .kysely<OwnerTables>()
        .updateTable('owners')
        .set({
          [name]: sealed,
          [`previous_${name}`]: kept ? old : null,
          [`previous_${name}_until`]: previousUntil,
        })
        .where('id', '=', ownerId)
        .execute();
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

async function sealedSecret(
  reader: Reader,
  ownerId: string,
  name: AccountSecretName,
): Promise<string | null> {
  const row = await reader
    .kysely<OwnerTables>()
    .selectFrom('owners')
    .select(name)
    .where('id', '=', ownerId)
    .executeTakeFirst();
  return row?.[name] ?? null;
}
