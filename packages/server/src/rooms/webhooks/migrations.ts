import { sql } from 'kysely';
import { ownerOfAgent } from '../../identity/agents/owner-of-agent.ts';
import type { ModuleMigrations } from '../../platform/database/migrations.ts';

/** Only the endpoints: what is to be sent lies in the jobs, which know nothing of rooms and so outlive them. */
export const roomWebhookMigrations: ModuleMigrations = {
  module: 'room_webhooks',
  migrations: [
    {
      name: '001 create endpoints',
      up: async (db, dialect) => {
        const serial =
          dialect === 'sqlite'
            ? sql`integer PRIMARY KEY AUTOINCREMENT`
            : sql`bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY`;
        await sql`CREATE TABLE room_webhook_endpoints (
          seq ${serial},
          id text NOT NULL UNIQUE,
          agent text NOT NULL,
          url text NOT NULL,
          sealed_secret text NOT NULL,
          key_id text NOT NULL,
          enabled integer NOT NULL,
          created_at bigint NOT NULL,
          updated_at bigint NOT NULL
        )`.execute(db);
        await sql`CREATE INDEX room_webhook_endpoints_agent ON room_webhook_endpoints (agent, seq)`.execute(
          db,
        );
      },
    },
    {
      name: '002 endpoints of an account',
      up: async (db) => {
        const statements = [
          `ALTER TABLE room_webhook_endpoints ADD COLUMN owner_id text`,
          `UPDATE room_webhook_endpoints SET owner_id = ${ownerOfAgent('room_webhook_endpoints.agent')}`,
          `CREATE INDEX room_webhook_endpoints_of_owner ON room_webhook_endpoints (owner_id, seq)`,
        ];
        for (const statement of statements) await sql.raw(statement).execute(db);
      },
    },
  ],
};
