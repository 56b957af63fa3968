import type { SealedSecret } from '../../platform/auth/signing-secret.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';

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

export async function storedSecret(
  reader: Reader,
  ownerId: string,
  name: AccountSecretName,
): Promise<SealedSecret | undefined> {
  return await reader
    .kysely<OwnerTables>()
    .selectFrom('owners')
    .select([`${name} as current`, `previous_${name} as previous`, `previous_${name}_until as previousUntil`])
    .where('id', '=', ownerId)
    .executeTakeFirst();
}

export async function storeSecret(
  tx: Tx,
  ownerId: string,
  name: AccountSecretName,
  { current, previous, previousUntil }: SealedSecret,
): Promise<void> {
  await tx
    .kysely<OwnerTables>()
    .updateTable('owners')
    .set({ [name]: current, [`previous_${name}`]: previous, [`previous_${name}_until`]: previousUntil })
    .where('id', '=', ownerId)
    .execute();
}
