import type { IdentityService } from '../../identity/service.ts';
import type { Observers } from '../../platform/observers.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Platform } from '../../platform.ts';
import type { AgentReach } from '../agents/reach.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import type { ExecutionQuota } from './execution-quota.ts';
import type { CueRow } from './record/cue-row.ts';
import type { RunRetention } from './runs/run-retention.ts';

/** What the rules of cues work with, beside what messages and executions do. */
export interface CueContext extends MessagingContext, Pick<Platform, 'addressRules' | 'resolve'> {
  readonly reach: AgentReach;
  /** Has the secrets that sign what is posted to callbacks. */
  readonly identity: IdentityService;
  readonly quota: ExecutionQuota;
  /** Who is told of final failures. */
  readonly failures: Observers<FailureSink>;
  readonly retention: RunRetention;
}

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
