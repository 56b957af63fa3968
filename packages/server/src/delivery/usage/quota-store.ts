import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Sum } from '../records/tally-store.ts';

/** When the grace of a month began; it begins now if it has not. */
export async function graceOf(tx: Tx, ownerId: string, month: number, now: number): Promise<number> {
  await tx.run(sql`
    INSERT INTO quota_graces (owner_id, month, started_at) VALUES (${ownerId}, ${month}, ${now})
    ON CONFLICT DO NOTHING`);
  const started = await tx.value<number>(sql`
    SELECT started_at FROM quota_graces WHERE owner_id = ${ownerId} AND month = ${month}`);
  return started ?? now;
}

export interface CountedOutcome {
  readonly ownerId: string;
  readonly month: number;
  readonly shard: number;
  readonly success: boolean;
}

export async function countOutcome(
  tx: Tx,
  { ownerId, month, shard, success }: CountedOutcome,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO outcome_months (owner_id, month, shard, succeeded, failed)
    VALUES (${ownerId}, ${month}, ${shard}, ${success ? 1 : 0}, ${success ? 0 : 1})
    ON CONFLICT (owner_id, month, shard) DO UPDATE SET
      succeeded = outcome_months.succeeded + excluded.succeeded, failed = outcome_months.failed + excluded.failed`);
}

export async function outcomesIn(
  reader: Reader,
  ownerId: string,
  month: number,
): Promise<{ succeeded: number; failed: number }> {
  const row = await reader.get<{ succeeded: Sum | null; failed: Sum | null }>(sql`
    SELECT sum(succeeded) AS succeeded, sum(failed) AS failed FROM outcome_months
    WHERE owner_id = ${ownerId} AND month = ${month}`);
  return { succeeded: Number(row?.succeeded ?? 0), failed: Number(row?.failed ?? 0) };
}
