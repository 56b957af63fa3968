import type { Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { headed } from '../database/table.ts';
import type { StartedJob, UndoneJob } from './job.ts';
import { laneIsBusy, lockKey } from './job-store.ts';

/** How much of a kind waits, and since when the first of it is due. */
export interface QueueDepth {
  readonly kind: string;
  readonly waiting: number;
  readonly due: number;
  /** The earliest time at which one of them has to be looked at. */
  readonly nextAt: number;
}

/** From the index alone. Those that wait behind another of their lane are not counted. */
export async function jobDepths(reader: Reader, now: number): Promise<QueueDepth[]> {
  return await reader.all<QueueDepth>(sql`
    SELECT kind, count(*) AS waiting, sum(CASE WHEN wake_at <= ${now} THEN 1 ELSE 0 END) AS due,
      min(wake_at) AS "nextAt"
    FROM jobs WHERE dead_at IS NULL AND blocked = 0 GROUP BY kind ORDER BY kind`);
}

export async function countDead(reader: Reader): Promise<number> {
  return await reader.total(sql`SELECT count(*) AS n FROM jobs WHERE dead_at IS NOT NULL`);
}

type UndoneRow = UndoneJob<string>;

const selectUndone = headed(`
  SELECT id, payload, attempts, last_error AS error, created_at AS "createdAt", dead_at AS "diedAt" FROM jobs`);

/** Of a group, those that gave up, oldest first. */
export function deadOf(reader: Reader, kind: string, group: string, most: number): Promise<UndoneRow[]> {
  return reader.all<UndoneRow>(selectUndone`
    WHERE dead_at IS NOT NULL AND kind = ${kind} AND grp = ${group} ORDER BY id LIMIT ${most}`);
}

export type Revival = { readonly kind: string; readonly group: string } | 'gone' | 'replaced';

/** Lets a job that gave up begin anew. `replaced`: another of the same key does its work already. */
export async function reviveDead(tx: Tx, id: number, now: number): Promise<Revival> {
  const dead = await tx.get<Pick<StartedJob, 'kind' | 'group' | 'key' | 'lane'>>(sql`
    SELECT kind, grp AS "group", key, lane FROM jobs WHERE id = ${id} AND dead_at IS NOT NULL`);
  if (!dead) return 'gone';
  const { kind, group, key, lane } = dead;
  if (key !== null) {
    await lockKey(tx, kind, key);
    const other = await tx.get(sql`
      SELECT id FROM jobs WHERE kind = ${kind} AND key = ${key} AND dead_at IS NULL`);
    if (other) return 'replaced';
  }
  const blocked = lane !== null && (await laneIsBusy(tx, kind, lane)) ? 1 : 0;
  const revived = await tx.run(sql`
    UPDATE jobs SET dead_at = NULL, attempts = 0, due_at = ${now}, wake_at = ${now}, blocked = ${blocked}
    WHERE id = ${id} AND dead_at IS NOT NULL`);
  return revived === 1 ? { kind, group } : 'gone';
}

/** Of a group, those that were tried and wait for another time, oldest first. */
export function triedOf(reader: Reader, kind: string, group: string, most: number): Promise<UndoneRow[]> {
  return reader.all<UndoneRow>(selectUndone`
    WHERE kind = ${kind} AND grp = ${group} AND dead_at IS NULL AND leased_by IS NULL AND attempts > 0
    ORDER BY id LIMIT ${most}`);
}

/** False when it is gone, runs already, or waits behind another. */
export async function hastenJob(tx: Tx, id: number, now: number): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE jobs SET due_at = ${now}, wake_at = ${now}
    WHERE id = ${id} AND dead_at IS NULL AND leased_by IS NULL AND blocked = 0`);
}

export async function dropDead(tx: Tx, id: number): Promise<boolean> {
  return await tx.affects(sql`DELETE FROM jobs WHERE id = ${id} AND dead_at IS NOT NULL`);
}
