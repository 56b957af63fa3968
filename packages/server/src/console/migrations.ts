import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { step } from '../platform/database/step.ts';

/** What people did at the console. `owner_id` is whose it concerns; null: the server as a whole. */
export const consoleMigrations: ModuleMigrations = {
  module: 'console',
  migrations: [
    step('001 create audit', [
      `CREATE TABLE console_audit (
        id SERIAL,
        at bigint NOT NULL,
        owner_id text,
        actor text NOT NULL,
        action text NOT NULL,
        object text NOT NULL
      )`,
      `CREATE INDEX console_audit_of_owner ON console_audit (owner_id, id)`,
    ]),
  ],
};
