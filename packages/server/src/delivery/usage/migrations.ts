import { sql } from 'kysely';
import type { ModuleMigrations } from '../../platform/database/migrations.ts';

/** `month`: the first day of a UTC month, in milliseconds. Outcomes are counted in shards, as messages are. */
export const usageMigrations: ModuleMigrations = {
  module: 'delivery_usage',
  migrations: [
    {
      name: '001 create usage',
      up: async (db) => {
        await sql`CREATE TABLE quota_graces (
          owner_id text NOT NULL,
          month bigint NOT NULL,
          started_at bigint NOT NULL,
          PRIMARY KEY (owner_id, month)
        )`.execute(db);
        await sql`CREATE TABLE outcome_months (
          owner_id text NOT NULL,
          month bigint NOT NULL,
          shard integer NOT NULL,
          succeeded bigint NOT NULL,
          failed bigint NOT NULL,
          PRIMARY KEY (owner_id, month, shard)
        )`.execute(db);
        await sql`CREATE TABLE echoes (
          token_hash text PRIMARY KEY,
          payload text NOT NULL,
          headers text NOT NULL,
          received_at bigint NOT NULL
        )`.execute(db);
        await sql`CREATE INDEX echoes_age ON echoes (received_at)`.execute(db);
      },
    },
  ],
};
