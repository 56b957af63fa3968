import type { IdentityService } from '../../identity/service.ts';
import type { Platform } from '../../platform.ts';
import type { AgentSide } from '../create-agents.ts';
import type { Messaging } from '../create-messaging.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import { carryPushes } from '../webhooks/push-webhooks.ts';
import { ExecutionQuota } from './execution-quota.ts';
import { defineChains } from './runs/chains.ts';
import { ClockWatch } from './firing/clock-watch.ts';
import { cueConsequences } from './runs/consequences.ts';
import type { CueContext } from './cue-context.ts';
import { Observers } from '../../platform/observers.ts';
import { cuePushes, defineOutcomeDeadline } from './firing/cue-webhooks.ts';
import { defineDueCues } from './firing/due-cues.ts';
import { writeLetter } from './firing/letters.ts';
import { RunRetention } from './runs/run-retention.ts';
import { defineWaitingRuns } from './runs/waiting-runs.ts';

/** Schedules: what starts by the clock, and what follows from how it ended. */
export interface Cues extends CueContext {
  start(): Promise<void>;
  close(): Promise<void>;
}

export function createCues(
  { addressRules, resolve, log }: Platform,
  identity: IdentityService,
  { reach }: Pick<AgentSide, 'reach'>,
  messaging: Messaging,
  dispatcher: WebhookDispatcher,
): Cues {
  const context: CueContext = {
    ...messaging,
    reach,
    identity,
    addressRules,
    resolve,
    quota: new ExecutionQuota(messaging),
    failures: new Observers(),
    retention: new RunRetention(messaging),
  };
  defineDueCues(context);
  defineWaitingRuns(context);
  defineChains(context);
  defineOutcomeDeadline(context);
  carryPushes(context, dispatcher, cuePushes(context));
  context.outlets.letter = (tx, execution) => writeLetter(context, tx, execution);
  context.ends.add(cueConsequences(context));
  const { tallies, database } = context;
  identity.hooks.usage.push(async (ownerId) => {
    const { active, paused } = await tallies.cues(database.read, ownerId);
    return { activeCues: active + paused };
  });
  identity.hooks.held.push(async (ownerId) => ({ cues: (await tallies.cues(database.read, ownerId)).all }));
  const watch = new ClockWatch(context, log);
  return { ...context, start: () => watch.start(), close: () => watch.close() };
}
