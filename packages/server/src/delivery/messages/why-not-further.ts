import type {
  Channel,
  ExecutionStatus,
  LiveUnclaimedReason,
  MessageState,
  ProvenStage,
} from '@parley/protocol/delivery/vocabulary';
import { isTerminal } from '../records/execution-states.ts';
import { reaches } from '../records/proof.ts';

/**
 * Why a message is not further now. How far it came is a fact of the past and kept with the message; this is about the
 * present, and changes as soon as the situation does.
 *
 * | situation | what is waited for |
 * | --- | --- |
 * | not due | `scheduled` |
 * | read | `awaiting_ack` |
 * | held by a session or worker | `awaiting_outcome` |
 * | given up | `handler_failed`; `lease_lost` when whoever had it is gone; else why the push ended, until the text was seen |
 * | fetched | `awaiting_read` |
 * | on its way | by channel and by what is heard of whoever is asked |
 */
export interface Situation {
  readonly stage: ProvenStage;
  readonly state: MessageState;
  /** Null until it is due and routed. */
  readonly queuedAt: number | null;
  readonly channel: Channel | null;
  readonly status: ExecutionStatus;
  /** A live offer that has no session to go to yet. */
  readonly held: boolean;
  readonly claimedAt: number | null;
  readonly liveUnclaimedReason: LiveUnclaimedReason | null;
  readonly outcomeSuccess: boolean | null;
  /** The session or the handler that is asked has not been heard of for too long. */
  readonly silent: boolean;
}

export type WhyNotFurther =
  | 'scheduled'
  | 'waiting_for_live_session'
  | 'awaiting_live_claim'
  | 'live_session_stale'
  | 'awaiting_another_session'
  | 'awaiting_worker'
  | 'awaiting_another_worker'
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
  | 'lease_lost'
  | 'expired'
  | LiveUnclaimedReason;

/** Null when it has arrived at the end. */
export function whyNotFurther(now: Situation): WhyNotFurther | null {
  if (now.stage === 'acked') return null;
  if (now.state === 'expired') return 'expired';
  if (now.queuedAt === null) return 'scheduled';
  if (now.state === 'read') return 'awaiting_ack';
  if (now.status === 'delivering' && now.claimedAt !== null) return 'awaiting_outcome';
  if (now.state === 'failed' && isTerminal(now.status)) return whyGivenUp(now);
  return now.state === 'delivered' ? 'awaiting_read' : whyOnItsWay(now);
}

function whyGivenUp({ stage, status, outcomeSuccess, liveUnclaimedReason }: Situation): WhyNotFurther {
  // What was missed has an outcome too, of ours.
  if (status !== 'missed' && outcomeSuccess === false) return 'handler_failed';
  if (reaches(stage, 'claimed')) return 'lease_lost';
  if (reaches(stage, 'delivered')) return 'awaiting_read';
  return liveUnclaimedReason ?? 'push_failed';
}

function whyOnItsWay(now: Situation): WhyNotFurther {
  // Somebody had it and was lost, or it would not be on its way again.
  const again = reaches(now.stage, 'claimed');
  if (now.channel === 'webhook') return webhookReason(now.status);
  if (now.channel === 'live') {
    if (now.held) return again ? 'awaiting_another_session' : 'waiting_for_live_session';
    if (now.silent) return 'live_session_stale';
    return again ? 'awaiting_another_session' : 'awaiting_live_claim';
  }
  if (now.channel !== 'bg') return 'awaiting_fetch';
  if (now.silent) return 'bg_handler_stale';
  return again ? 'awaiting_another_worker' : 'awaiting_worker';
}

function webhookReason(status: ExecutionStatus): WhyNotFurther {
  if (status === 'pending') return 'awaiting_webhook_attempt';
  return status === 'delivering' ? 'webhook_attempt_running' : 'webhook_retry_scheduled';
}
