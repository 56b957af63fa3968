import type { IdentityService } from '../../identity/service.ts';
import type { Observers } from '../../platform/observers.ts';
import type { Platform } from '../../platform.ts';
import type { AgentReach } from '../agents/reach.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { ExecutionQuota } from './execution-quota.ts';
import type { FailureSink } from './runs/cue-failures.ts';
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
