import { sql } from 'kysely';
import type { ModuleMigrations } from '../platform/database/migrations.ts';

/** What people did at the console. `owner_id` is whose it concerns; null: the server as a whole. */
export const consoleMigrations: ModuleMigrations = {
  module: 'console',
  migrations: [
    {
      name: '001 create audit',
      up: async (db, dialect) => {
        const id =
          dialect === 'sqlite'
            ? sql`integer PRIMARY KEY AUTOINCREMENT`
            : sql`bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY`;
        await sql`CREATE TABLE console_audit (
          id ${id},
          at bigint NOT NULL,
          owner_id text,
          actor text NOT NULL,
          action text NOT NULL,
          object text NOT NULL
        )`.execute(db);
        await sql`CREATE INDEX console_audit_of_owner ON console_audit (owner_id, id)`.execute(db);
      },
    },
  ],
};
