import type { ExecutionRow, OutcomeRow } from './execution-row.ts';
import type { MessageRow } from './message-row.ts';

/** For the statements that are built. */
export interface RecordTables {
  messages: MessageRow;
  executions: ExecutionRow;
  execution_outcomes: OutcomeRow;
}
