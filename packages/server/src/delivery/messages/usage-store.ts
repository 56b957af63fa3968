import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Sum } from '../records/tally-store.ts';

/** The UTC month a time falls into, as the time it began. */
export function monthOf(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

export async function countMessage(tx: Tx, ownerId: string, month: number, shard: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO usage_months (owner_id, month, shard, messages, executions)
    VALUES (${ownerId}, ${month}, ${shard}, 1, 0)
    ON CONFLICT (owner_id, month, shard) DO UPDATE SET messages = usage_months.messages + 1`);
}

export async function usedIn(
  reader: Reader,
  ownerId: string,
  month: number,
): Promise<{ messages: number; executions: number }> {
  const row = await reader.get<{ messages: Sum | null; executions: Sum | null }>(sql`
    SELECT sum(messages) AS messages, sum(executions) AS executions FROM usage_months
    WHERE owner_id = ${ownerId} AND month = ${month}`);
  return { messages: Number(row?.messages ?? 0), executions: Number(row?.executions ?? 0) };
}
