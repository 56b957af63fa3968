import type {
  Channel,
  ExecutionStatus,
  LiveUnclaimedReason,
  MessageState,
  ProvenStage,
} from '@parley/protocol/delivery/vocabulary';

/**
 * The furthest stage a message provably reached, and why it is not further. Each stage needs a fact that only its own
 * event writes, so the sender is never told more than happened.
 *
 * | stage | proof |
 * | --- | --- |
 * | `stored` | it is on disk |
 * | `offered` | a live offer, a claimable push or a webhook attempt was made, or it lies in the inbox |
 * | `delivered` | somebody fetched or claimed it, or the webhook answered 2xx |
 * | `claimed` | somebody took it up: a claim, or the recipient read it |
 * | `acked` | the recipient acked it, or its work was reported a success |
 */
export interface MessageFacts {
  readonly state: MessageState;
  /** Null until it is due and routed. */
  readonly queuedAt: number | null;
  readonly deliveredAt: number | null;
  readonly readAt: number | null;
  readonly ackedAt: number | null;
  readonly channel: Channel | null;
  readonly status: ExecutionStatus;
  /** A live offer that has no session to go to yet. */
  readonly held: boolean;
  readonly claimedAt: number | null;
  readonly attempts: number;
  readonly liveUnclaimedReason: LiveUnclaimedReason | null;
  /** The handler that would take a bg push has not been heard of for too long. */
  readonly bgStale: boolean;
}

export type WhyNotFurther =
  | 'scheduled'
  | 'waiting_for_live_session'
  | 'awaiting_live_claim'
  | 'awaiting_worker'
  | 'bg_handler_stale'
  | 'awaiting_fetch'
  | 'awaiting_webhook_attempt'
  | 'webhook_attempt_running'
  | 'webhook_retry_scheduled'
  | 'push_failed'
  | 'awaiting_read'
  | 'awaiting_outcome'
  | 'awaiting_ack'
  | 'handler_failed'
  | 'expired'
  | LiveUnclaimedReason;

export interface Proof {
  readonly stage: ProvenStage;
  readonly reason: WhyNotFurther | null;
}

export function provenStage(facts: MessageFacts): Proof {
  if (facts.ackedAt !== null) return { stage: 'acked', reason: null };
  const stage = stageOf(facts);
  if (facts.state === 'expired') return { stage, reason: 'expired' };
  return { stage, reason: reasonAt(stage, facts) };
}

function stageOf(facts: MessageFacts): ProvenStage {
  if (facts.claimedAt !== null || facts.readAt !== null) return 'claimed';
  if (facts.deliveredAt !== null) return 'delivered';
  return wasOffered(facts) ? 'offered' : 'stored';
}

/** An offer that was refused for want of a session was never made. */
function wasOffered({
  queuedAt,
  held,
  channel,
  status,
  liveUnclaimedReason,
  attempts,
}: MessageFacts): boolean {
  if (queuedAt === null || held) return false;
  if (channel === 'webhook') return attempts > 0;
  const neverMade = channel === 'live' && status === 'missed' && liveUnclaimedReason !== null;
  return (
    !neverMade || liveUnclaimedReason === 'claim_window_elapsed' || liveUnclaimedReason === 'session_detached'
  );
}

function reasonAt(stage: ProvenStage, facts: MessageFacts): WhyNotFurther {
  if (stage === 'claimed') return reasonOnceClaimed(facts);
  if (stage === 'delivered') return 'awaiting_read';
  if (facts.queuedAt === null) return 'scheduled';
  if (facts.liveUnclaimedReason !== null && facts.status === 'missed') return facts.liveUnclaimedReason;
  if (facts.state === 'failed') return 'push_failed';
  if (facts.channel === 'live') return facts.held ? 'waiting_for_live_session' : 'awaiting_live_claim';
  if (facts.channel === 'bg') return facts.bgStale ? 'bg_handler_stale' : 'awaiting_worker';
  return facts.channel === 'webhook' ? webhookReason(facts.status) : 'awaiting_fetch';
}

function reasonOnceClaimed({ state, claimedAt, readAt }: MessageFacts): WhyNotFurther {
  if (state === 'failed') return 'handler_failed';
  return claimedAt !== null && readAt === null ? 'awaiting_outcome' : 'awaiting_ack';
}

function webhookReason(status: ExecutionStatus): WhyNotFurther {
  if (status === 'pending') return 'awaiting_webhook_attempt';
  return status === 'delivering' ? 'webhook_attempt_running' : 'webhook_retry_scheduled';
}
