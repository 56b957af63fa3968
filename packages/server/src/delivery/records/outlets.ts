import type { ExecutionSource } from '@parley/protocol/delivery/vocabulary';
import type { Tx } from '../../platform/database/database.ts';
import type { ExecutionRow } from './execution-row.ts';
import type { MessageRow } from './message-row.ts';

/** How pushes leave the server. Whoever carries them registers here once it exists: it needs what needs this. */
export interface Outlets {
  /** Queues a push in the transaction that routed it, by its source; it is sent after the commit. */
  readonly webhooks: Map<ExecutionSource, (tx: Tx, execution: ExecutionRow) => Promise<void>>;
  /** Wakes an agent by a message that was just stored, in the same transaction. */
  wake?: (tx: Tx, agent: string, messageId: string) => void;
  /** The same by the fire of a cue. */
  wakeByCue?: (tx: Tx, agent: string, executionId: string) => void;
  /** Turns the fire of a cue into a message to its agent, once it ends up in the inbox. */
  letter?: (tx: Tx, execution: ExecutionRow) => Promise<MessageRow>;
}
