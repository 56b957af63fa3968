import type { Tx } from '../../../platform/database/database.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import type { CueRow } from '../record/cue-row.ts';

/** A run of a cue that is over and did not succeed, with the cue as it is after that: paused or failed, where it is. */
export interface CueFailure {
  readonly cue: CueRow;
  readonly execution: ExecutionRow;
}

/** Whoever raises the alarm: `on_failure`, alerts. Told in the transaction of what happened. */
export interface FailureSink {
  /** A recurring cue has fired by its schedule, and goes on as it is given here. */
  cueFires(tx: Tx, cue: CueRow): Promise<void>;
  /** Once for each run. */
  cueFailed(tx: Tx, failure: CueFailure): Promise<void>;
}
