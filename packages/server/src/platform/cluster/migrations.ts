import type { ModuleMigrations } from '../database/migrations.ts';
import { step } from '../database/step.ts';

/**
 * `clusters` holds one row: the name that all nodes of this store share and those of others do not. `singletons`: who does what one
 * node does for all, under which number, and until when unless renewed.
 */
export const clusterMigrations: ModuleMigrations = {
  module: 'cluster',
  migrations: [
    step('001 create clusters and nodes', [
      `CREATE TABLE clusters (id text PRIMARY KEY)`,
      `CREATE TABLE nodes (
        id text PRIMARY KEY,
        url text NOT NULL,
        version text NOT NULL,
        started_at bigint NOT NULL,
        seen_at bigint NOT NULL
      )`,
    ]),
    step('002 create singletons', [
      `CREATE TABLE singletons (
        name text PRIMARY KEY,
        fence bigint NOT NULL,
        holder text NOT NULL,
        held_until bigint NOT NULL
      )`,
    ]),
  ],
};
