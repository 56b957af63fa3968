import type { SealedSecret } from '../../platform/auth/signing-secret.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { agentDeliveryTable } from './agent-record.ts';

export function storedAgentSecret(reader: Reader, agent: string): Promise<SealedSecret | undefined> {
  // Under the names that any sealed secret has.
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
  const previously = { previous_webhook_secret: previous, previous_webhook_secret_until: previousUntil };
  await tx.run(agentDeliveryTable.update({ webhook_secret: current, ...previously })`WHERE agent = ${agent}`);
}
