import { sql } from 'kysely';
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
  ],
};
