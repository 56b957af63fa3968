import type { InboundPolicy, LiveAttestation } from '@parley/protocol/delivery/vocabulary';
import { spellingWith } from '@parley/protocol/identity/agent-id';
import { type Budgets, budgetsOf } from '../config/budgets.ts';
import { type Plans, plansOf } from '../config/plans.ts';
import type { Config } from '../config/settings.ts';
import type { LoopLimits } from './messages/loops/loop-guard.ts';

/** The times and limits of the delivery protocol, as its rules use them. */
export interface DeliverySettings {
  readonly claimWindowMs: number;
  readonly heartbeatThresholdMs: number;
  readonly autoDetachMs: number;
  readonly heartbeatDir: string | undefined;
  readonly liveAttestation: LiveAttestation;
  /** How an agent is spelled in answers. */
  readonly spellAgent: (suffix: string) => string;
  readonly requireSender: boolean;
  readonly inboundPolicy: InboundPolicy;
  readonly workerLeaseMs: number;
  readonly workerBeatTimeoutMs: number;
  readonly workerDeadMs: number;
  readonly unclaimedTimeoutMs: number;
  readonly liveOnlyCueLimitMs: number;
  readonly webhookTimeoutMs: number;
  readonly staleAttemptMs: number;
  readonly deliveriesPerOwner: number;
  readonly messageTtlMs: number;
  readonly removalAfterTerminalMs: number;
  readonly agentTombstoneMs: number;
  readonly idempotencyMs: number;
  readonly inboundPairPerHour: number;
  readonly events: EventSettings;
  readonly alertDedupMs: number;
  readonly alertRetentionMs: number;
  readonly plans: Plans;
  readonly budgets: Budgets;
  readonly loop: LoopLimits;
}

export interface EventSettings {
  readonly retentionMs: number;
  readonly digestMs: number;
  readonly spacedPostMs: number;
  readonly breakerFailures: number;
  readonly breakerPauseMs: number;
}

export function deliverySettings(config: Config): DeliverySettings {
  return {
    claimWindowMs: config.dlClaimWindowMs,
    heartbeatThresholdMs: config.dlHeartbeatThresholdMs,
    autoDetachMs: config.dlAutoDetachMs,
    heartbeatDir: config.dlHeartbeatDir,
    liveAttestation: config.dlLiveAttestation,
    spellAgent: spellingWith(config.dlAgentIdPrefix),
    requireSender: config.dlRequireSender,
    inboundPolicy: config.dlInboundPolicy,
    workerLeaseMs: config.dlWorkerLeaseMs,
    workerBeatTimeoutMs: config.dlWorkerBeatTimeoutMs,
    workerDeadMs: config.dlWorkerDeadMs,
    unclaimedTimeoutMs: config.dlUnclaimedTimeoutMs,
    liveOnlyCueLimitMs: config.dlLiveOnlyCueMs,
    webhookTimeoutMs: config.dlWebhookTimeoutMs,
    staleAttemptMs: config.dlStaleAttemptMs,
    deliveriesPerOwner: config.dlDeliveriesPerOwner,
    messageTtlMs: config.dlMessageTtlMs,
    removalAfterTerminalMs: config.dlRemovalMs,
    agentTombstoneMs: config.dlAgentTombstoneMs,
    idempotencyMs: config.dlIdempotencyMs,
    inboundPairPerHour: config.rlInboundPairPerHour,
    events: {
      retentionMs: config.dlEventRetentionMs,
      digestMs: config.dlDigestMs,
      spacedPostMs: config.dlSpacedPostMs,
      breakerFailures: config.dlBreakerFailures,
      breakerPauseMs: config.dlBreakerPauseMs,
    },
    alertDedupMs: config.dlAlertDedupMs,
    alertRetentionMs: config.dlAlertRetentionMs,
    plans: plansOf(config),
    budgets: budgetsOf(config),
    loop: {
      maxHops: config.dlLoopMaxHops,
      pairTurns: config.dlLoopPairTurns,
      pairWindowMs: config.dlLoopPairWindowMs,
    },
  };
}
