import { sql } from 'kysely';
import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { AGENT_TABLES } from './tables/agent-tables.ts';
import { EXECUTION_TABLES, WEBHOOK_TABLES } from './tables/execution-tables.ts';
import { MESSAGE_TABLES } from './tables/message-tables.ts';

/**
 * Agents are stored by their suffix, times in milliseconds, flags as 0 or 1, lists and objects as JSON text. Identity
 * owns the agents; what delivery adds to one is in `agent_delivery`, made together with the agent.
 */
export const deliveryMigrations: ModuleMigrations = {
  module: 'delivery',
  migrations: [
    {
      name: '001 create delivery',
      up: async (db) => {
        for (const statement of TABLES) {
          await sql.raw(statement).execute(db);
        }
      },
    },
  ],
};

const TABLES = [...AGENT_TABLES, ...MESSAGE_TABLES, ...EXECUTION_TABLES, ...WEBHOOK_TABLES];
