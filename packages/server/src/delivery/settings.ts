import { spellingWith } from '@parley/protocol/identity/agent-id';
import { budgetsOf } from '../config/budgets.ts';
import { plansOf } from '../config/plans.ts';
import type { Config } from '../config/settings.ts';

/** The times and limits of the delivery protocol, as its rules use them. */
export type DeliverySettings = Readonly<ReturnType<typeof deliverySettings>>;

export function deliverySettings(config: Config) {
  return {
    claimWindowMs: config.dlClaimWindowMs,
    heartbeatThresholdMs: config.dlHeartbeatThresholdMs,
    autoDetachMs: config.dlAutoDetachMs,
    heartbeatDir: config.dlHeartbeatDir,
    liveAttestation: config.dlLiveAttestation,
    /** How an agent is spelled in answers. */
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
