import type { ExecutionStatus, LiveUnclaimedReason, ProvenStage } from '@parley/protocol/delivery/vocabulary';
import { isTerminal } from '../records/execution-states.ts';
import type { MessageRow, Travel } from '../records/message-row.ts';
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
export type Arrival = Pick<MessageRow, 'proven_stage' | 'state' | 'queued_at'>;
export type Way = Pick<
  Travel,
  'channel' | 'status' | 'held' | 'claimed_at' | 'live_unclaimed_reason' | 'outcome_success'
>;

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

/** Null when it has arrived at the end. `silent`: who is asked, session or handler, has not been heard of for too long. */
export function whyNotFurther(message: Arrival, way: Way, silent: boolean): WhyNotFurther | null {
  const { proven_stage: stage, state } = message;
  if (stage === 'acked') return null;
  if (state === 'expired') return 'expired';
  if (message.queued_at === null) return 'scheduled';
  if (state === 'read') return 'awaiting_ack';
  if (way.status === 'delivering' && way.claimed_at !== null) return 'awaiting_outcome';
  if (state === 'failed' && isTerminal(way.status)) return whyGivenUp(stage, way);
  return state === 'delivered' ? 'awaiting_read' : whyOnItsWay(stage, way, silent);
}

function whyGivenUp(stage: ProvenStage, way: Way): WhyNotFurther {
  // What was missed has an outcome too, of ours.
  if (way.status !== 'missed' && way.outcome_success === 0) return 'handler_failed';
  if (reaches(stage, 'claimed')) return 'lease_lost';
  if (reaches(stage, 'delivered')) return 'awaiting_read';
  return way.live_unclaimed_reason ?? 'push_failed';
}

function whyOnItsWay(stage: ProvenStage, { channel, status, held }: Way, silent: boolean): WhyNotFurther {
  // Somebody had it and was lost, or it would not be on its way again.
  const again = reaches(stage, 'claimed');
  if (channel === 'webhook') return webhookReason(status);
  if (channel === 'live') {
    // It may have no session to go to yet.
    if (held === 1) return again ? 'awaiting_another_session' : 'waiting_for_live_session';
    if (silent) return 'live_session_stale';
    return again ? 'awaiting_another_session' : 'awaiting_live_claim';
  }
  if (channel !== 'bg') return 'awaiting_fetch';
  if (silent) return 'bg_handler_stale';
  return again ? 'awaiting_another_worker' : 'awaiting_worker';
}

function webhookReason(status: ExecutionStatus): WhyNotFurther {
  if (status === 'pending') return 'awaiting_webhook_attempt';
  return status === 'delivering' ? 'webhook_attempt_running' : 'webhook_retry_scheduled';
}
