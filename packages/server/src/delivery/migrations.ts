import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { step } from '../platform/database/step.ts';
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
import { AGAIN_AND_NEXT, BY_STATE, CUES_LATELY, LATELY, WRONG_OF_OWNER } from './tables/lately.ts';
import { deliveriesToJobs } from './tables/webhook-jobs.ts';

const TABLES = [...AGENT_TABLES, ...MESSAGE_TABLES, ...EXECUTION_TABLES, ...WEBHOOK_TABLES];

/** Few have one: a list of them must not read all agents. */
const WEBHOOK_AGENTS = [
  `CREATE INDEX agent_delivery_webhooks ON agent_delivery (created_at) WHERE webhook_url IS NOT NULL AND deleted_at IS NULL`,
];

/**
 * Agents are stored by their suffix, times in milliseconds, flags as 0 or 1, lists and objects as JSON text. Identity
 * owns the agents; what delivery adds to one is in `agent_delivery`, made together with the agent, or at the first start
 * for agents that are older than this module.
 */
export const deliveryMigrations: ModuleMigrations = {
  module: 'delivery',
  migrations: [
    step('001 create delivery', TABLES),
    step('002 messages by pair and state', MESSAGES_BY_PAIR),
    { name: '003 webhooks are jobs', up: deliveriesToJobs },
    step('004 proven stage of messages', PROVEN_STAGE),
    step('005 stored bytes of owners', STORED_BYTES),
    step('006 cues', CUE_TABLES),
    step('007 wakes by cues', CUE_WAKES),
    step('008 messages that started an agent', INVOKED),
    step('009 receipts of wakes', WAKE_RECEIPTS),
    step('010 stored bytes of runs', RUN_BYTES),
    step('011 lists of everything lately', LATELY),
    step('012 what was run again and what comes next', AGAIN_AND_NEXT),
    step('013 agents with a webhook', WEBHOOK_AGENTS),
    step('014 lists by state', BY_STATE),
    step('015 what went wrong for an owner', WRONG_OF_OWNER),
    step('016 cues of everybody by state', CUES_LATELY),
  ],
};
