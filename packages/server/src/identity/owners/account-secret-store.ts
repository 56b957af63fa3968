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

export async function sealedSecret(
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

/** Only where there is none yet. */
export async function setFirstSecret(
  tx: Tx,
  ownerId: string,
  name: AccountSecretName,
  sealed: string,
): Promise<void> {
  await tx
    .kysely<OwnerTables>()
    .updateTable('owners')
    .set({ [name]: sealed })
    .where('id', '=', ownerId)
    .where(name, 'is', null)
    .execute();
}

export interface SecretChange {
  readonly sealed: string;
  readonly previous: string | null;
  readonly previousUntil: number | null;
}

export async function replaceSecret(
  tx: Tx,
  ownerId: string,
  name: AccountSecretName,
  { sealed, previous, previousUntil }: SecretChange,
): Promise<void> {
  await tx
    .kysely<OwnerTables>()
    .updateTable('owners')
    .set({ [name]: sealed, [`previous_${name}`]: previous, [`previous_${name}_until`]: previousUntil })
    .where('id', '=', ownerId)
    .execute();
}
