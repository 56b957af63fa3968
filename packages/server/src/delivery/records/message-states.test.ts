import { MESSAGE_STATES, type MessageState } from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import {
  answerRecipient,
  isOver,
  type MessageEvent,
  nextMessageState,
  OPEN_STATES,
  statesTaking,
} from './message-states.ts';

const EVENTS: readonly MessageEvent[] = [
  'attempt_started',
  'attempt_delivered',
  'attempt_to_retry',
  'push_failed',
  'claimed',
  'lease_lost',
  'fetched',
  'read',
  'acked',
  'expired',
];

/**
 * "Leaves to" of the contract, and what its other sentences add: the recipient may read or ack while a webhook runs, and a
 * session may take what waits for its next attempt.
 */
const CONTRACT: Readonly<Record<MessageState, readonly MessageState[]>> = {
  queued: ['delivering', 'claimed', 'delivered', 'read', 'acked', 'failed', 'expired'],
  delivering: ['delivered', 'retry_ready', 'failed', 'read', 'acked'],
  retry_ready: ['delivering', 'claimed', 'delivered', 'read', 'acked', 'failed', 'expired'],
  claimed: ['acked', 'failed', 'read', 'queued'],
  delivered: ['read', 'acked', 'expired'],
  read: ['acked', 'expired'],
  failed: ['read', 'acked', 'expired'],
  acked: [],
  expired: [],
};

describe('message states', () => {
  test.each(MESSAGE_STATES)('%s leaves to what the contract says', (state) => {
    const reached = new Set(
      EVENTS.map((event) => nextMessageState(state, event)).filter((to) => to !== undefined),
    );
    expect([...reached].toSorted()).toEqual(CONTRACT[state].toSorted());
  });

  test.each<[MessageEvent, MessageState, MessageState[]]>([
    ['attempt_started', 'delivering', ['queued', 'retry_ready']],
    ['attempt_delivered', 'delivered', ['delivering']],
    ['attempt_to_retry', 'retry_ready', ['delivering']],
    ['push_failed', 'failed', ['queued', 'delivering', 'retry_ready', 'claimed']],
    ['claimed', 'claimed', ['queued', 'retry_ready']],
    ['lease_lost', 'queued', ['claimed']],
    ['fetched', 'delivered', ['queued', 'retry_ready']],
    ['read', 'read', ['queued', 'delivering', 'retry_ready', 'claimed', 'delivered', 'failed']],
    ['acked', 'acked', ['queued', 'delivering', 'retry_ready', 'claimed', 'delivered', 'read', 'failed']],
    ['expired', 'expired', ['queued', 'retry_ready', 'delivered', 'read', 'failed']],
  ])('%s leads to %s from the right states only', (event, to, from) => {
    expect(statesTaking(event).toSorted()).toEqual(from.toSorted());
    for (const state of from) expect(nextMessageState(state, event)).toBe(to);
    for (const state of MESSAGE_STATES.filter((other) => !from.includes(other))) {
      expect(nextMessageState(state, event)).toBeUndefined();
    }
  });

  test('a failed message stays failed when it is fetched', () => {
    expect(nextMessageState('failed', 'fetched')).toBeUndefined();
  });

  test('the inbox shows what is not over', () => {
    expect(OPEN_STATES).toEqual(MESSAGE_STATES.filter((state) => !isOver(state)));
    expect(MESSAGE_STATES.filter(isOver)).toEqual(['acked', 'expired']);
  });
});

describe('message states › the recipient', () => {
  test('reads once; a repeat changes nothing; not after ack or expiry', () => {
    const by = Object.fromEntries(
      MESSAGE_STATES.map((state) => [state, answerRecipient(state, 'read').kind]),
    );
    expect(by).toEqual({
      queued: 'changes',
      delivering: 'changes',
      retry_ready: 'changes',
      claimed: 'changes',
      delivered: 'changes',
      failed: 'changes',
      read: 'unchanged',
      acked: 'refused',
      expired: 'refused',
    });
  });

  test('acks once; a repeat changes nothing; not after expiry', () => {
    const refused = MESSAGE_STATES.filter((state) => answerRecipient(state, 'acked').kind === 'refused');
    expect(refused).toEqual(['expired']);
    expect(answerRecipient('acked', 'acked')).toEqual({ kind: 'unchanged' });
    expect(answerRecipient('failed', 'acked')).toEqual({ kind: 'changes', to: 'acked' });
  });
});
