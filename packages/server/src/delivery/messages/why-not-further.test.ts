import { describe, expect, test } from 'vitest';
import { type Arrival, type Way, whyNotFurther } from './why-not-further.ts';

type Situation = Arrival & Way & { silent: boolean };

const inInbox: Situation = {
  proven_stage: 'offered',
  state: 'queued',
  queued_at: 1,
  channel: 'inbox',
  status: 'pending',
  held: 0,
  claimed_at: null,
  live_unclaimed_reason: null,
  outcome_success: null,
  silent: false,
};
const missed = { channel: 'live', state: 'failed', status: 'missed', outcome_success: 0 } as const;
const lost = { proven_stage: 'claimed', state: 'queued', status: 'pending' } as const;

describe('why a message is not further', () => {
  test.each<[string, Partial<Situation>, string | null]>([
    ['scheduled for later', { proven_stage: 'stored', queued_at: null, channel: null }, 'scheduled'],
    ['held until a session comes', { channel: 'live', held: 1 }, 'waiting_for_live_session'],
    ['in the inbox', {}, 'awaiting_fetch'],
    ['offered live', { channel: 'live' }, 'awaiting_live_claim'],
    ['offered to a session that went silent', { channel: 'live', silent: true }, 'live_session_stale'],
    ['pushed to the background', { channel: 'bg' }, 'awaiting_worker'],
    ['pushed to a silent handler', { channel: 'bg', silent: true }, 'bg_handler_stale'],
    ['seen while its push is pending', { channel: 'bg', proven_stage: 'delivered' }, 'awaiting_worker'],
    ['queued for the webhook', { channel: 'webhook', proven_stage: 'stored' }, 'awaiting_webhook_attempt'],
    [
      'on its way to the webhook',
      { channel: 'webhook', state: 'delivering', status: 'delivering' },
      'webhook_attempt_running',
    ],
    [
      'refused by the webhook for now',
      { channel: 'webhook', state: 'retry_ready', status: 'retrying' },
      'webhook_retry_scheduled',
    ],
    [
      'refused by the webhook for good',
      { channel: 'webhook', state: 'failed', status: 'failed' },
      'push_failed',
    ],
    [
      'refused by the webhook and fetched since',
      { channel: 'webhook', state: 'failed', status: 'failed', proven_stage: 'delivered' },
      'awaiting_read',
    ],
    [
      'taken by the webhook, which says that it failed',
      {
        channel: 'webhook',
        state: 'failed',
        status: 'success',
        proven_stage: 'delivered',
        outcome_success: 0,
      },
      'handler_failed',
    ],
    [
      'never offered for want of a session',
      { ...missed, proven_stage: 'stored', live_unclaimed_reason: 'no_session' },
      'no_session',
    ],
    [
      'offered and left unclaimed',
      { ...missed, live_unclaimed_reason: 'claim_window_elapsed' },
      'claim_window_elapsed',
    ],
    [
      'left unclaimed and fetched since',
      { ...missed, proven_stage: 'delivered', live_unclaimed_reason: 'claim_window_elapsed' },
      'awaiting_read',
    ],
    [
      'claimed by a session that was lost, with no fallback',
      { ...missed, proven_stage: 'claimed', live_unclaimed_reason: 'session_detached' },
      'lease_lost',
    ],
    ['failed and sent once more', { channel: 'bg', state: 'failed' }, 'awaiting_worker'],
    ['fetched', { state: 'delivered', proven_stage: 'delivered', status: 'success' }, 'awaiting_read'],
    [
      'claimed by a session',
      { channel: 'live', state: 'claimed', status: 'delivering', proven_stage: 'claimed', claimed_at: 2 },
      'awaiting_outcome',
    ],
    ['read', { state: 'read', proven_stage: 'claimed', status: 'success' }, 'awaiting_ack'],
    [
      'claimed and failed',
      {
        channel: 'bg',
        state: 'failed',
        status: 'failed',
        proven_stage: 'claimed',
        claimed_at: 2,
        outcome_success: 0,
      },
      'handler_failed',
    ],
    ['acked', { state: 'acked', proven_stage: 'acked', status: 'success' }, null],
    ['expired unread', { state: 'expired', proven_stage: 'delivered' }, 'expired'],
    ['given back by a worker that was lost', { ...lost, channel: 'bg' }, 'awaiting_another_worker'],
    ['given back, and the handler is silent', { ...lost, channel: 'bg', silent: true }, 'bg_handler_stale'],
    ['given back by a session that was lost', { ...lost, channel: 'live' }, 'awaiting_another_session'],
    ['given back and held', { ...lost, channel: 'live', held: 1 }, 'awaiting_another_session'],
    ['given back to the inbox', { ...lost, channel: 'inbox' }, 'awaiting_fetch'],
  ])('%s', (_, situation, reason) => {
    const now = { ...inInbox, ...situation };
    expect(whyNotFurther(now, now, now.silent)).toBe(reason);
  });
});
