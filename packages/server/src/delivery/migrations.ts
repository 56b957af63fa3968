import { type Kysely, sql } from 'kysely';
import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { AGENT_TABLES, WAKE_RECEIPTS } from './tables/agent-tables.ts';
import { CUE_TABLES, CUE_WAKES, RUN_BYTES } from './tables/cue-tables.ts';
import { EXECUTION_TABLES, WEBHOOK_TABLES } from './tables/execution-tables.ts';
import {
  INVOKED,
  MESSAGE_TABLES,
  MESSAGES_BY_PAIR,
  PROVEN_STAGE,
  STORED_BYTES,
} from './tables/message-tables.ts';
import { AGAIN_AND_NEXT, BY_STATE, LATELY, WRONG_OF_OWNER } from './tables/lately.ts';
import { deliveriesToJobs } from './tables/webhook-jobs.ts';

/**
 * Agents are stored by their suffix, times in milliseconds, flags as 0 or 1, lists and objects as JSON text. Identity
 * owns the agents; what delivery adds to one is in `agent_delivery`, made together with the agent, or at the first start
 * for agents that are older than this module.
 */
export const deliveryMigrations: ModuleMigrations = {
  module: 'delivery',
  migrations: [
    { name: '001 create delivery', up: (db) => run(db, TABLES) },
    { name: '002 messages by pair and state', up: (db) => run(db, MESSAGES_BY_PAIR) },
    { name: '003 webhooks are jobs', up: deliveriesToJobs },
    { name: '004 proven stage of messages', up: (db) => run(db, PROVEN_STAGE) },
    { name: '005 stored bytes of owners', up: (db) => run(db, STORED_BYTES) },
    { name: '006 cues', up: (db) => run(db, CUE_TABLES) },
    { name: '007 wakes by cues', up: (db) => run(db, CUE_WAKES) },
    { name: '008 messages that started an agent', up: (db) => run(db, INVOKED) },
    { name: '009 receipts of wakes', up: (db) => run(db, WAKE_RECEIPTS) },
    { name: '010 stored bytes of runs', up: (db) => run(db, RUN_BYTES) },
    { name: '011 lists of everything lately', up: (db) => run(db, LATELY) },
    { name: '012 what was run again and what comes next', up: (db) => run(db, AGAIN_AND_NEXT) },
    { name: '013 agents with a webhook', up: (db) => run(db, WEBHOOK_AGENTS) },
    { name: '014 lists by state', up: (db) => run(db, BY_STATE) },
    { name: '015 what went wrong for an owner', up: (db) => run(db, WRONG_OF_OWNER) },
  ],
};

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const TABLES = [...AGENT_TABLES, ...MESSAGE_TABLES, ...EXECUTION_TABLES, ...WEBHOOK_TABLES];

/** Few have one: a list of them must not read all agents. */
const WEBHOOK_AGENTS = [
  `CREATE INDEX agent_delivery_webhooks ON agent_delivery (created_at) WHERE webhook_url IS NOT NULL AND deleted_at IS NULL`,
];
