import type { Kysely } from 'kysely';
import type { NewJob } from './job-store.ts';

/** What a queue of its own had in store; `attempts`: those that began. */
export type AdoptedJob = Omit<NewJob, 'key' | 'lane' | 'now'> & { attempts: number; createdAt: number };

const BATCH = 500;

/** For the migration of a module that comes to this queue with jobs of the time before. In the order given. */
export async function adoptJobs(db: Kysely<unknown>, jobs: readonly AdoptedJob[]): Promise<void> {
  const rows = jobs.map(({ kind, group, payload, dueAt, attempts, createdAt }) => ({
    kind,
    grp: group,
    payload: JSON.stringify(payload),
    due_at: dueAt,
    wake_at: dueAt,
    blocked: 0,
    attempts,
    created_at: createdAt,
  }));
  for (let from = 0; from < rows.length; from += BATCH) {
    // A migration is handed the tables it makes; these are ours.
    const tables = db as Kysely<{ jobs: (typeof rows)[number] }>;
    await tables
      .insertInto('jobs')
      .values(rows.slice(from, from + BATCH))
      .execute();
  }
}
