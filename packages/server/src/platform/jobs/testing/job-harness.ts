import { expect } from 'vitest';
import type { OpenTestDatabase } from '../../../testing/databases.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import type { Database } from '../../database/database.ts';
import { migrate } from '../../database/migrations.ts';
import type { DatabaseLocation } from '../../database/open-database.ts';
import { sql } from '../../database/sql.ts';
import { systemRandom } from '../../ids.ts';
import { createLog } from '../../log.ts';
import type { EnqueueOptions, JobDefinition } from '../job.ts';
import { Jobs, type JobsOptions } from '../jobs.ts';
import { jobMigrations } from '../migrations.ts';

export async function openStore(open: OpenTestDatabase, at?: DatabaseLocation): Promise<Database> {
  const database = await open(at ? { at } : {});
  await migrate(database, [jobMigrations], () => 0);
  return database;
}

/** A queue on a clock of its own, and a `record` kind of handler that notes the payloads it was given. */
export function createJobs(
  db: Database,
  {
    clock = new FakeClock(),
    ...others
  }: { clock?: FakeClock } & Pick<JobsOptions, 'keepDeadMs' | 'isAlone' | 'bus' | 'hasOthers'> = {},
) {
  const jobs = new Jobs({
    database: db,
    clock,
    random: systemRandom,
    log: createLog({ level: 'silent', secretPrefixes: [], stream: { write: () => {} } }),
    ...others,
  });
  const ran: unknown[] = [];
  return {
    db,
    clock,
    jobs,
    ran,
    record: (kind: string, definition: Partial<JobDefinition<unknown>> = {}) =>
      jobs.define(kind, { handler: async (job) => void ran.push(job.payload), ...definition }),
    enqueue: (kind: string, payload: unknown, options?: EnqueueOptions) =>
      db.write((tx) => jobs.enqueue(tx, kind, payload, options)),
    stored: async () => (await db.read.get<{ n: number }>(sql`SELECT count(*) AS n FROM jobs`))?.n,
  };
}

/** A promise to be opened by hand. */
export function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** Live jobs that are held, or due and free to be claimed. */
export async function unfinished(db: Database, now: number): Promise<number | undefined> {
  const row = await db.read.get<{ n: number }>(sql`
    SELECT count(*) AS n FROM jobs
    WHERE dead_at IS NULL AND (leased_by IS NOT NULL OR (due_at <= ${now} AND blocked = 0))`);
  return row?.n;
}

export async function leased(db: Database): Promise<number | undefined> {
  return (await db.read.get<{ n: number }>(sql`SELECT count(*) AS n FROM jobs WHERE leased_by IS NOT NULL`))
    ?.n;
}

/** Until what was running is recorded, so that moving the clock moves only what comes next. */
export async function idle(db: Database): Promise<void> {
  await expect.poll(() => leased(db)).toBe(0);
}

export async function leaseEnd(db: Database): Promise<number | undefined> {
  const row = await db.read.get<{ wake_at: number }>(
    sql`SELECT wake_at FROM jobs WHERE leased_by IS NOT NULL`,
  );
  return row?.wake_at;
}
