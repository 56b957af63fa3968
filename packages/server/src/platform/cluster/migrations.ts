import { sql } from 'kysely';
import type { ModuleMigrations } from '../database/migrations.ts';

/** `clusters` holds one row: the name that all nodes of this store share and those of others do not. */
export const clusterMigrations: ModuleMigrations = {
  module: 'cluster',
  migrations: [
    {
      name: '001 create clusters and nodes',
      up: async (db) => {
        await sql`CREATE TABLE clusters (id text PRIMARY KEY)`.execute(db);
        await sql`CREATE TABLE nodes (
          id text PRIMARY KEY,
          url text NOT NULL,
          version text NOT NULL,
          started_at bigint NOT NULL,
          seen_at bigint NOT NULL
        )`.execute(db);
      },
    },
  ],
};
