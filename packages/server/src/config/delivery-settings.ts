import { DELIVERY_DEFAULTS as D } from '@parley/protocol/delivery/limits';
import { INBOUND_POLICIES, LIVE_ATTESTATIONS } from '@parley/protocol/delivery/vocabulary';
import { choice, integer, onOff, optionalText, positive } from './setting.ts';

/** Settings of the delivery protocol. */
export const DELIVERY_SETTINGS = {
  dlClaimWindowMs: positive('Time a live session has to claim an offer', D.claimWindowMs),
  dlHeartbeatThresholdMs: positive('A beat as old as this is stale', D.heartbeatThresholdMs),
  dlAutoDetachMs: positive('A live session silent for this long is detached', D.autoDetachMs),
  dlHeartbeatDir: optionalText('Folder of heartbeat files, <agent id>/<label>.heartbeat'),
  dlLiveAttestation: choice('How live-claims are checked', D.liveAttestation, LIVE_ATTESTATIONS),
  dlAgentIdPrefix: choice('Spelling of agent ids in answers about messages and keys', D.agentIdPrefix, [
    'agent_',
    'agt_',
  ]),
  dlRequireSender: onOff('Refuse messages that name no sending agent', D.requireSender),
  dlInboundPolicy: choice('Inbound policy of agents that have set none', D.inboundPolicy, INBOUND_POLICIES),
  dlWorkerLeaseMs: positive('Lease of a claimed execution', D.workerLeaseMs),
  dlWorkerBeatTimeoutMs: positive(
    'A worker silent for this long loses leases that are over',
    D.workerBeatTimeoutMs,
  ),
  dlWorkerDeadMs: positive('A worker silent for this long is shown as dead', D.workerDeadMs),
  dlUnclaimedTimeoutMs: positive('A push nobody claims for this long is missed', D.unclaimedTimeoutMs),
  dlLiveOnlyCueMs: positive('A live-only cue fire waits at most this long', D.liveOnlyCueLimitMs),
  dlWebhookTimeoutMs: positive('Time a webhook has to answer', D.webhookTimeoutMs),
  dlStaleAttemptMs: positive('A webhook attempt cut short is repeated after this', D.staleAttemptMs),
  dlDeliveriesPerOwner: positive('Webhook requests of one owner at a time', D.deliveriesPerOwner),
  dlMessageTtlMs: integer('Life of a message that names none', D.messageTtlMs, { min: 60_000 }),
  dlRemovalMs: integer(
    'Messages that are over, and all but the last 100 runs of each cue, are removed after this',
    D.removalAfterTerminalMs,
  ),
  dlAgentTombstoneMs: integer('Deleted agents are kept this long', D.agentTombstoneMs),
  dlIdempotencyMs: positive('How long an idempotency key is remembered', D.idempotencyMs),
  dlLoopMaxHops: positive('Answers in a thread with nobody in between', D.loopMaxHops),
  dlLoopPairTurns: positive('Turns between two agents with nobody in between', D.loopPairTurns),
  dlLoopPairWindowMs: positive('Time in which those turns count', D.loopPairWindowMs),
  rlLiveStreamsPerSession: positive('Open streams of one live session', D.liveStreamsPerSession),
  dlEventRetentionMs: positive('Events are kept this long', D.eventRetentionMs),
  dlDigestMs: integer('Messages of low priority are told of together this often', D.digestMs, { min: 1000 }),
  dlSpacedPostMs: integer('Least time between posts of priority 4 to one recipient', D.spacedPostMs),
  dlBreakerFailures: positive('Failures in a row after which a subscription is paused', D.breakerFailures),
  dlBreakerPauseMs: positive('How long a subscription is paused then', D.breakerPauseMs),
  dlAlertDedupMs: integer('The same alert is not raised again within this time', D.alertDedupMs),
  dlAlertRetentionMs: positive('Alerts are kept this long', D.alertRetentionMs),
  mailProgram: optionalText(
    'Program that sends a mail which it gets on standard input, as sendmail -t -i does; without one no mail is sent',
    { program: true },
  ),
  mailFrom: optionalText('Address that mails are from; without one the program says it'),
  rlFailureMailsPerHour: positive('Mails about failed cues per owner and hour', D.failureMailsPerHour),
  rlEchoesPerHour: positive('Posts to /v1/echo per address and hour', D.echoesPerHour),
  rlInboundPairPerHour: integer("Messages per hour from one owner to another's agent", D.inboundPairPerHour),
} as const;
