import type { InboundPolicy, LiveAttestation } from '@parley/protocol/delivery/vocabulary';
import type { Config } from '../config/settings.ts';
import type { LoopLimits } from './loop-guard.ts';

/** What the operator decides about delivery. Times are milliseconds. */
export interface DeliverySettings {
  readonly claimWindowMs: number;
  readonly heartbeatThresholdMs: number;
  readonly autoDetachMs: number;
  /** Beats may also be files: `<directory>/<agent id>/<label>.heartbeat`. */
  readonly heartbeatDirectory: string | undefined;
  readonly liveAttestation: LiveAttestation;
  readonly agentIdPrefix: 'agent_' | 'agt_';
  readonly requireSender: boolean;
  readonly inboundPolicy: InboundPolicy;
  readonly inboundPairPerHour: number;
  readonly workerLeaseMs: number;
  readonly workerBeatTimeoutMs: number;
  readonly unclaimedTimeoutMs: number;
  readonly messageTtlMs: number;
  readonly removalAfterTerminalMs: number;
  readonly idempotencyMs: number;
  readonly loop: LoopLimits;
}

export function deliverySettings(config: Config): DeliverySettings {
  return {
    claimWindowMs: config.dlClaimWindowMs,
    heartbeatThresholdMs: config.dlHeartbeatThresholdMs,
    autoDetachMs: config.dlAutoDetachMs,
    heartbeatDirectory: config.dlHeartbeatDir,
    liveAttestation: config.dlLiveAttestation,
    agentIdPrefix: config.dlAgentIdPrefix,
    requireSender: config.dlRequireSender,
    inboundPolicy: config.dlInboundPolicy,
    inboundPairPerHour: config.rlInboundPairPerHour,
    workerLeaseMs: config.dlWorkerLeaseMs,
    workerBeatTimeoutMs: config.dlWorkerBeatTimeoutMs,
    unclaimedTimeoutMs: config.dlUnclaimedTimeoutMs,
    messageTtlMs: config.dlMessageTtlMs,
    removalAfterTerminalMs: config.dlRemovalMs,
    idempotencyMs: config.dlIdempotencyMs,
    loop: {
      maxHops: config.dlLoopMaxHops,
      pairTurns: config.dlLoopPairTurns,
      pairWindowMs: config.dlLoopPairWindowMs,
    },
  };
}
