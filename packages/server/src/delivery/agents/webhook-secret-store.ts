import type { SealedSecret } from '../../platform/auth/signing-secret.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export function storedAgentSecret(reader: Reader, agent: string): Promise<SealedSecret | undefined> {
  return reader.get<SealedSecret>(sql`
    SELECT webhook_secret AS "current", previous_webhook_secret AS "previous",
      previous_webhook_secret_until AS "previousUntil"
    FROM agent_delivery WHERE agent = ${agent}`);
}

export async function storeAgentSecret(
  tx: Tx,
  agent: string,
  { current, previous, previousUntil }: SealedSecret,
): Promise<void> {
  await tx.run(sql`
    UPDATE agent_delivery SET webhook_secret = ${current}, previous_webhook_secret = ${previous},
      previous_webhook_secret_until = ${previousUntil}
    WHERE agent = ${agent}`);
}
