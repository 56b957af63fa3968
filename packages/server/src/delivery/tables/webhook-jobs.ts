import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../../platform/database/database.ts';
import { adoptJobs } from '../../platform/jobs/adopt-jobs.ts';
import { type Delivery, type DeliveryKind, WEBHOOK_JOB } from '../webhooks/webhook-kind.ts';

interface DeliveryRow {
  readonly id: string;
  readonly owner_id: string;
  readonly kind: DeliveryKind;
  readonly ref: string;
  readonly execution_id: string | null;
  readonly body: string | null;
  readonly state: 'waiting' | 'sending';
  readonly attempts: number;
  readonly due_at: number;
  readonly created_at: number;
}

/**
 * Deliveries had a table of their own once. What was waiting keeps its time and its attempts. What was being sent is taken up
 * at once where one process owns the store, for that one is gone, else when its attempt counts as cut short.
 */
export async function deliveriesToJobs(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const { rows } = await sql<DeliveryRow>`
    SELECT id, owner_id, kind, ref, execution_id, body, state, attempts, due_at, created_at
    FROM webhook_deliveries ORDER BY due_at, id`.execute(db);
  const jobs = rows.map((row) => {
    const { id, owner_id: ownerId, kind, ref, execution_id: executionId, body, attempts } = row;
    const payload: Delivery = { id, ownerId, kind, ref, executionId, body };
    const orphaned = row.state === 'sending' && dialect === 'sqlite';
    const dueAt = orphaned ? row.created_at : row.due_at;
    return { kind: WEBHOOK_JOB, group: ownerId, payload, dueAt, attempts, createdAt: row.created_at };
  });
  await adoptJobs(db, jobs);
  await sql`DROP TABLE webhook_deliveries`.execute(db);
}
