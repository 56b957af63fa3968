import { describe, expect, test } from 'vitest';
import { type MessageFacts, provenStage } from './proven-stage.ts';

const stored: MessageFacts = {
  state: 'queued',
  queuedAt: 1,
  deliveredAt: null,
  readAt: null,
  ackedAt: null,
  channel: 'inbox',
  status: 'pending',
  held: false,
  claimedAt: null,
  attempts: 0,
  liveUnclaimedReason: null,
  bgStale: false,
};

describe('proven stage', () => {
  test.each<[string, Partial<MessageFacts>, string, string | null]>([
    ['scheduled for later', { queuedAt: null, channel: null }, 'stored', 'scheduled'],
    ['held until a session comes', { channel: 'live', held: true }, 'stored', 'waiting_for_live_session'],
    ['in the inbox', {}, 'offered', 'awaiting_fetch'],
    ['offered live', { channel: 'live' }, 'offered', 'awaiting_live_claim'],
    ['pushed to the background', { channel: 'bg' }, 'offered', 'awaiting_worker'],
    ['pushed to a silent handler', { channel: 'bg', bgStale: true }, 'offered', 'bg_handler_stale'],
    ['queued for the webhook', { channel: 'webhook' }, 'stored', 'awaiting_webhook_attempt'],
    [
      'on its way to the webhook',
      { channel: 'webhook', state: 'delivering', status: 'delivering', attempts: 1 },
      'offered',
      'webhook_attempt_running',
    ],
    [
      'refused by the webhook for now',
      { channel: 'webhook', state: 'retry_ready', status: 'retrying', attempts: 1 },
      'offered',
      'webhook_retry_scheduled',
    ],
    [
      'refused by the webhook for good',
      { channel: 'webhook', state: 'failed', status: 'failed', attempts: 4 },
      'offered',
      'push_failed',
    ],
    [
      'never offered for want of a session',
      { channel: 'live', state: 'failed', status: 'missed', liveUnclaimedReason: 'no_session' },
      'stored',
      'no_session',
    ],
    [
      'offered and left unclaimed',
      { channel: 'live', state: 'failed', status: 'missed', liveUnclaimedReason: 'claim_window_elapsed' },
      'offered',
      'claim_window_elapsed',
    ],
    ['fetched', { state: 'delivered', deliveredAt: 2, status: 'success' }, 'delivered', 'awaiting_read'],
    [
      'claimed by a session',
      { channel: 'live', state: 'claimed', status: 'delivering', deliveredAt: 2, claimedAt: 2 },
      'claimed',
      'awaiting_outcome',
    ],
    ['read', { state: 'read', deliveredAt: 2, readAt: 3, status: 'success' }, 'claimed', 'awaiting_ack'],
    [
      'claimed and failed',
      { channel: 'bg', state: 'failed', status: 'failed', deliveredAt: 2, claimedAt: 2 },
      'claimed',
      'handler_failed',
    ],
    ['acked', { state: 'acked', deliveredAt: 2, ackedAt: 4, status: 'success' }, 'acked', null],
    ['expired unread', { state: 'expired', deliveredAt: 2 }, 'delivered', 'expired'],
    ['expired unfetched', { state: 'expired' }, 'offered', 'expired'],
    [
      'given back by a worker that was lost',
      { channel: 'bg', deliveredAt: null },
      'offered',
      'awaiting_worker',
    ],
  ])('%s', (_, facts, stage, reason) => {
    expect(provenStage({ ...stored, ...facts })).toEqual({ stage, reason });
  });
});
