import type { ModuleMigrations } from '../database/migrations.ts';
import { step } from '../database/step.ts';

/**
 * `wake_at` is when the runner has to look at a job: its due time or, while it is held, the end of the lease.
 * `blocked` jobs wait behind an earlier one of their lane; they are outside the index, so a long lane costs nothing. `grp` is
 * empty for jobs without a group.
 */
export const jobMigrations: ModuleMigrations = {
  module: 'jobs',
  migrations: [
    step('001 create jobs', [
      `CREATE TABLE jobs (
        id SERIAL,
        kind text NOT NULL,
        key text,
        lane text,
        payload text NOT NULL,
        due_at bigint NOT NULL,
        wake_at bigint NOT NULL,
        blocked integer NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        leased_by text,
        last_error text,
        created_at bigint NOT NULL,
        dead_at bigint
      )`,
      `CREATE INDEX jobs_wake ON jobs (kind, wake_at, id) WHERE dead_at IS NULL AND blocked = 0`,
      `CREATE UNIQUE INDEX jobs_key ON jobs (kind, key) WHERE key IS NOT NULL AND dead_at IS NULL`,
      `CREATE INDEX jobs_lane ON jobs (kind, lane, id) WHERE lane IS NOT NULL AND dead_at IS NULL`,
      `CREATE INDEX jobs_dead ON jobs (dead_at, id) WHERE dead_at IS NOT NULL`,
    ]),
    step('002 groups', [
      `ALTER TABLE jobs ADD COLUMN grp text NOT NULL DEFAULT ''`,
      `DROP INDEX jobs_wake`,
      `CREATE INDEX jobs_wake ON jobs (kind, grp, wake_at, id) WHERE dead_at IS NULL AND blocked = 0`,
    ]),
  ],
};
