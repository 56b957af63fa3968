import type { ModuleMigrations } from '../../platform/database/migrations.ts';
import { step } from '../../platform/database/step.ts';

/** `month`: the first day of a UTC month, in milliseconds. Outcomes are counted in shards, as messages are. */
export const usageMigrations: ModuleMigrations = {
  module: 'delivery_usage',
  migrations: [
    step('001 create usage', [
      `CREATE TABLE quota_graces (
        owner_id text NOT NULL,
        month bigint NOT NULL,
        started_at bigint NOT NULL,
        PRIMARY KEY (owner_id, month)
      )`,
      `CREATE TABLE outcome_months (
        owner_id text NOT NULL,
        month bigint NOT NULL,
        shard integer NOT NULL,
        succeeded bigint NOT NULL,
        failed bigint NOT NULL,
        PRIMARY KEY (owner_id, month, shard)
      )`,
      `CREATE TABLE echoes (
        token_hash text PRIMARY KEY,
        payload text NOT NULL,
        headers text NOT NULL,
        received_at bigint NOT NULL
      )`,
      `CREATE INDEX echoes_age ON echoes (received_at)`,
    ]),
  ],
};
