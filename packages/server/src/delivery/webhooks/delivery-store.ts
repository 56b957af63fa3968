import type { Dialect, Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Delivery, DeliveryKind, RunningDelivery } from './webhook-kind.ts';

interface DeliveryRow {
  readonly id: string;
  readonly owner_id: string;
  readonly kind: DeliveryKind;
  readonly ref: string;
  readonly execution_id: string | null;
  readonly body: string | null;
  readonly attempts: number;
  readonly due_at: number;
}

export async function insertDelivery(tx: Tx, delivery: Delivery, now: number): Promise<void> {
  const { id, ownerId, kind, ref, executionId, body } = delivery;
  await tx.run(sql`
    INSERT INTO webhook_deliveries (id, owner_id, kind, ref, execution_id, body, state, attempts, due_at, created_at)
    VALUES (${id}, ${ownerId}, ${kind}, ${ref}, ${executionId}, ${body}, 'waiting', 0, ${now}, ${now})`);
}

/** The first of an owner's that are due, and those whose attempt was cut short. They are the caller's until `staleAt`. */
export async function claimDeliveries(
  tx: Tx,
  dialect: Dialect,
  ownerId: string,
  claim: { now: number; staleAt: number; limit: number },
): Promise<RunningDelivery[]> {
  const { now, staleAt, limit } = claim;
  const query =
    dialect === 'sqlite'
      ? sql`
    UPDATE webhook_deliveries SET state = 'sending', due_at = ${staleAt}, attempts = attempts + 1 WHERE id IN (
      SELECT id FROM webhook_deliveries WHERE owner_id = ${ownerId} AND due_at <= ${now}
      ORDER BY due_at, id LIMIT ${limit})
    RETURNING id, owner_id, kind, ref, execution_id, body, attempts, due_at`
      : sql`
    UPDATE webhook_deliveries SET state = 'sending', due_at = ${staleAt}, attempts = attempts + 1 WHERE id = ANY(ARRAY(
      SELECT id FROM webhook_deliveries WHERE owner_id = ${ownerId} AND due_at <= ${now}
      ORDER BY due_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING id, owner_id, kind, ref, execution_id, body, attempts, due_at`;
  const rows = await tx.all<DeliveryRow>(query);
  // What is behind them is locked next: in one order for all, so that no two writers wait for each other.
  return rows.map(runningDelivery).toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
}

/** When the next of an owner's is due that nobody is sending. */
export async function nextDue(reader: Reader, ownerId: string): Promise<number | undefined> {
  const row = await reader.get<{ due_at: number }>(sql`
    SELECT due_at FROM webhook_deliveries WHERE owner_id = ${ownerId} AND state = 'waiting'
    ORDER BY due_at LIMIT 1`);
  return row?.due_at;
}

/** Every owner with something to send, and when to look at it. */
export async function dueOwners(reader: Reader): Promise<{ ownerId: string; dueAt: number }[]> {
  const rows = await reader.all<{ owner_id: string; due_at: number }>(sql`
    SELECT owner_id, MIN(due_at) AS due_at FROM webhook_deliveries GROUP BY owner_id`);
  return rows.map((row) => ({ ownerId: row.owner_id, dueAt: row.due_at }));
}

/** False when the attempt is no longer ours: it was taken up again. */
export async function removeDelivery(tx: Tx, { id, attempt }: RunningDelivery): Promise<boolean> {
  return (
    (await tx.run(sql`
    DELETE FROM webhook_deliveries WHERE id = ${id} AND state = 'sending' AND attempts = ${attempt}`)) === 1
  );
}

/** To be sent again at a time. False as above. */
export async function rescheduleDelivery(
  tx: Tx,
  { id, attempt }: RunningDelivery,
  dueAt: number,
): Promise<boolean> {
  return (
    (await tx.run(sql`
    UPDATE webhook_deliveries SET state = 'waiting', due_at = ${dueAt}
    WHERE id = ${id} AND state = 'sending' AND attempts = ${attempt}`)) === 1
  );
}

/** What was rescheduled in this transaction is not wanted after all. */
export async function dropDelivery(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`DELETE FROM webhook_deliveries WHERE id = ${id}`);
}

/** Only where one process owns the store: whoever was sending these is gone. */
export async function freeDeliveries(tx: Tx, now: number): Promise<void> {
  await tx.run(sql`UPDATE webhook_deliveries SET state = 'waiting', due_at = ${now} WHERE state = 'sending'`);
}

function runningDelivery(row: DeliveryRow): RunningDelivery {
  return {
    id: row.id,
    ownerId: row.owner_id,
    kind: row.kind,
    ref: row.ref,
    executionId: row.execution_id,
    body: row.body,
    attempt: row.attempts,
    staleAt: row.due_at,
  };
}
