import type { Database } from '../../platform/database/database.ts';
import type { AgentSide } from '../create-agents.ts';
import type { Messaging } from '../create-messaging.ts';

/** What the routes about messages and executions are made of. */
export interface DeliveryRoutesContext {
  readonly database: Database;
  readonly agents: AgentSide;
  readonly messaging: Messaging;
}
