import type { Tx } from '../../platform/database/database.ts';
import { Observers } from '../../platform/observers.ts';
import type { ExecutionRow } from './execution-row.ts';
import { isTerminal } from './execution-states.ts';

export interface ExecutionChange {
  readonly before: ExecutionRow;
  readonly after: ExecutionRow;
}

/** Who wants to know what becomes of executions, of cues and of messages. Told in the transaction of the change. */
export interface ExecutionObserver {
  /** It came to an end; once more when a late report led it from one end to another. */
  ended(tx: Tx, change: ExecutionChange): Promise<void>;
  /** What is known about its outcome has changed: reported, verified, rejected, unknown, unclaimed. */
  judged(tx: Tx, change: ExecutionChange): Promise<void>;
}

/** The one place where it is known that an execution is over, and how. */
export class ExecutionEnds extends Observers<ExecutionObserver> {
  async changed(tx: Tx, change: ExecutionChange): Promise<void> {
    const { before, after } = change;
    const ended = before.status !== after.status && isTerminal(after.status);
    const judged = before.outcome_state !== after.outcome_state && after.outcome_state !== null;
    await this.tell(async (observer) => {
      if (judged) await observer.judged?.(tx, change);
      if (ended) await observer.ended?.(tx, change);
    });
  }
}
