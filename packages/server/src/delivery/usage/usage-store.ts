import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { MessageRow } from '../records/message-row.ts';
import type { Sum } from '../records/tally-store.ts';
import { MESSAGE_OVERHEAD_BYTES } from '../tables/message-tables.ts';

export interface CountedUsage {
  readonly ownerId: string;
  readonly month: number;
  readonly shard: number;
  /** Those that the owner sent. */
  readonly messages?: number;
  /** They count when a cue fires, by whatever cause. */
  readonly executions?: number;
  readonly bytes: number;
}

export async function countUsage(tx: Tx, counted: CountedUsage): Promise<void> {
  const { ownerId, month, shard, messages = 0, executions = 0, bytes } = counted;
  await tx.run(sql`
    INSERT INTO usage_months (owner_id, month, shard, messages, executions, bytes)
    VALUES (${ownerId}, ${month}, ${shard}, ${messages}, ${executions}, ${bytes})
    ON CONFLICT (owner_id, month, shard) DO UPDATE SET messages = usage_months.messages + excluded.messages,
      executions = usage_months.executions + excluded.executions, bytes = usage_months.bytes + excluded.bytes`);
}

/** What a message of an owner takes up in the store. */
export const bytesOf = ({ body }: Pick<MessageRow, 'body'>): number =>
  Buffer.byteLength(body) + MESSAGE_OVERHEAD_BYTES;

/** Something was removed. */
export async function countFreed(tx: Tx, ownerId: string, shard: number, bytes: number): Promise<void> {
  await countUsage(tx, { ownerId, month: 0, shard, bytes: -bytes });
}

export async function storedBytes(reader: Reader, ownerId: string): Promise<number> {
  return Math.max(
    0,
    await reader.total(sql`SELECT sum(bytes) FROM usage_months WHERE owner_id = ${ownerId}`),
  );
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
