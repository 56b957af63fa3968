import { MAX_WORKERS } from '@parley/protocol/delivery/limits';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const workerTable = table('workers', {
  owner_id: column<string>(),
  worker_id: column<string>(),
  /** JSON text. */
  handlers: column<string>(),
  registered_at: column<number>(),
  beat_at: column<number>(),
});

type WorkerRow = RowOf<typeof workerTable>;

/** A beat that names no handlers keeps those named before. When a new one is too many, those silent the longest are forgotten. */
export async function beatWorker(
  tx: Tx,
  ownerId: string,
  worker: { id: string; handlers: string | null; now: number },
): Promise<void> {
  const { id, handlers, now } = worker;
  const times = { registered_at: now, beat_at: now };
  const row = { owner_id: ownerId, worker_id: id, handlers: handlers ?? '[]', ...times };
  const kept = await tx.get<{ registered_at: number }>(workerTable.inserting(row)`
    ON CONFLICT (owner_id, worker_id) DO UPDATE SET
      beat_at = excluded.beat_at, handlers = COALESCE(CAST(${handlers} AS text), workers.handlers)
    RETURNING registered_at`);
  if (kept?.registered_at === now) await forgetSilent(tx, ownerId, id);
}

/** One at a time: two that forget several could wait for each other. */
async function forgetSilent(tx: Tx, ownerId: string, newest: string): Promise<void> {
  await tx.lock(`workers of ${ownerId}`);
  await tx.run(sql`
    DELETE FROM workers WHERE owner_id = ${ownerId} AND worker_id IN (
      SELECT worker_id FROM workers WHERE owner_id = ${ownerId} AND worker_id <> ${newest}
      ORDER BY beat_at DESC, worker_id LIMIT ${MAX_WORKERS} OFFSET ${MAX_WORKERS - 1})`);
}

export function listWorkers(reader: Reader, ownerId: string): Promise<WorkerRow[]> {
  return reader.all<WorkerRow>(workerTable.select`WHERE owner_id = ${ownerId} ORDER BY worker_id`);
}

export async function deleteWorker(tx: Tx, ownerId: string, id: string): Promise<boolean> {
  return await tx.affects(sql`DELETE FROM workers WHERE owner_id = ${ownerId} AND worker_id = ${id}`);
}

export async function workerBeatAt(reader: Reader, ownerId: string, id: string): Promise<number | undefined> {
  return await reader.value<number>(sql`
    SELECT beat_at FROM workers WHERE owner_id = ${ownerId} AND worker_id = ${id}`);
}

/** When any worker of the owner was last heard of. */
export async function latestWorkerBeat(reader: Reader, ownerId: string): Promise<number | undefined> {
  return await reader.value<number>(sql`
    SELECT max(beat_at) AS latest FROM workers WHERE owner_id = ${ownerId}`);
}

export async function handlersOf(reader: Reader, ownerId: string, id: string): Promise<string[]> {
  const handlers = await reader.value<string>(sql`
    SELECT handlers FROM workers WHERE owner_id = ${ownerId} AND worker_id = ${id}`);
  return JSON.parse(handlers ?? '[]') as string[];
}
