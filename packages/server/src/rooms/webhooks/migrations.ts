import { ownerOfAgent } from '../../identity/agents/owner-of-agent.ts';
import type { ModuleMigrations } from '../../platform/database/migrations.ts';
import { step } from '../../platform/database/step.ts';

/** Only the endpoints: what is to be sent lies in the jobs, which know nothing of rooms and so outlive them. */
export const roomWebhookMigrations: ModuleMigrations = {
  module: 'room_webhooks',
  migrations: [
    step('001 create endpoints', [
      `CREATE TABLE room_webhook_endpoints (
        seq SERIAL,
        id text NOT NULL UNIQUE,
        agent text NOT NULL,
        url text NOT NULL,
        sealed_secret text NOT NULL,
        key_id text NOT NULL,
        enabled integer NOT NULL,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL
      )`,
      `CREATE INDEX room_webhook_endpoints_agent ON room_webhook_endpoints (agent, seq)`,
    ]),
    step('002 endpoints of an account', [
      `ALTER TABLE room_webhook_endpoints ADD COLUMN owner_id text`,
      `UPDATE room_webhook_endpoints SET owner_id = ${ownerOfAgent('room_webhook_endpoints.agent')}`,
      `CREATE INDEX room_webhook_endpoints_of_owner ON room_webhook_endpoints (owner_id, seq)`,
    ]),
  ],
};
