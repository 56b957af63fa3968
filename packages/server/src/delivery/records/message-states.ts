import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import { oneOf } from '../../platform/database/sql.ts';
import { stateMachine } from './state-machine.ts';

/**
 * The life of a message.
 *
 * | state | meaning | leaves to |
 * | --- | --- | --- |
 * | `queued` | stored; a push is pending, or it waits to be fetched | delivering, claimed, delivered, read, acked, failed, expired |
 * | `delivering` | a webhook attempt is running | delivered, retry_ready, failed, read, acked |
 * | `retry_ready` | waits for the next attempt | delivering, claimed, delivered, read, acked, failed, expired |
 * | `claimed` | a live session or a bg handler has it | acked, failed, read, queued |
 * | `delivered` | fetched, or the webhook answered 2xx | read, acked, expired |
 * | `read` | the recipient has seen it | acked, expired |
 * | `failed` | the push gave up; it can still be fetched and stays failed | read, acked, expired |
 * | `acked`, `expired` | the end | – |
 *
 * What is being worked on (`delivering`, `claimed`) does not expire under the hands of who works on it: it does so once
 * the attempt ends or the lease is lost.
 */
export type MessageEvent =
  | 'attempt_started'
  | 'attempt_delivered'
  | 'attempt_to_retry'
  | 'push_failed'
  | 'claimed'
  | 'lease_lost'
  | 'fetched'
  | 'read'
  | 'acked'
  | 'expired';

type Row = Readonly<Partial<Record<MessageEvent, MessageState>>>;

const WAITING: Row = {
  attempt_started: 'delivering',
  claimed: 'claimed',
  fetched: 'delivered',
  read: 'read',
  acked: 'acked',
  push_failed: 'failed',
  expired: 'expired',
};

const TABLE: Readonly<Record<MessageState, Row>> = {
  queued: WAITING,
  delivering: {
    attempt_delivered: 'delivered',
    attempt_to_retry: 'retry_ready',
    push_failed: 'failed',
    read: 'read',
    acked: 'acked',
  },
  retry_ready: WAITING,
  claimed: { read: 'read', acked: 'acked', push_failed: 'failed', lease_lost: 'queued' },
  delivered: { read: 'read', acked: 'acked', expired: 'expired' },
  read: { acked: 'acked', expired: 'expired' },
  failed: { read: 'read', acked: 'acked', expired: 'expired' },
  acked: {},
  expired: {},
};

const life = stateMachine<MessageState, MessageEvent>(TABLE);
export const { next: nextMessageState, taking: statesTaking, after: stateAfter } = life;

export const isOver = (state: MessageState): boolean => state === 'acked' || state === 'expired';

/** For statements. */
export const OVER_STATES = oneOf(life.names.filter(isOver));

/** What an inbox shows when it is not told which states. */
export const OPEN_STATES: readonly MessageState[] = life.names.filter((state) => !isOver(state));

/** What the recipient asks of a message: done now, done before, or not possible any more. */
export type RecipientAnswer =
  | { readonly kind: 'changes'; readonly to: MessageState }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused' };

export function answerRecipient(state: MessageState, asked: 'read' | 'acked'): RecipientAnswer {
  if (state === asked) return { kind: 'unchanged' };
  const to = nextMessageState(state, asked);
  return to === undefined ? { kind: 'refused' } : { kind: 'changes', to };
}
