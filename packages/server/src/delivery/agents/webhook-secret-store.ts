import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

/** Both sealed. */
export interface SecretRow {
  readonly webhook_secret: string | null;
  readonly previous_webhook_secret: string | null;
  readonly previous_webhook_secret_until: number | null;
}

export function secretRow(reader: Reader, agent: string): Promise<SecretRow | undefined> {
  return reader.get<SecretRow>(sql`
    SELECT webhook_secret, previous_webhook_secret, previous_webhook_secret_until
    FROM agent_delivery WHERE agent = ${agent}`);
}

export async function writeSecrets(
  tx: Tx,
  agent: string,
  { sealed, previous, until }: { sealed: string; previous: string | null; until: number | null },
): Promise<void> {
  await tx.run(sql`
    UPDATE agent_delivery SET webhook_secret = ${sealed}, previous_webhook_secret = ${previous},
      previous_webhook_secret_until = ${until}
    WHERE agent = ${agent}`);
}

export async function clearSecrets(tx: Tx, agent: string): Promise<void> {
  await tx.run(sql`
    UPDATE agent_delivery SET webhook_secret = NULL, previous_webhook_secret = NULL,
      previous_webhook_secret_until = NULL
    WHERE agent = ${agent}`);
}
