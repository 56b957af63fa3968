import type { Channel, ExecutionSource, ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import { type Fixed, oneOf, word } from '../../platform/database/sql.ts';

/**
 * The life of an execution. Services name the event and take the status from here: no other place
 * says from where to where an execution goes.
 *
 * | status | meaning | leaves by |
 * | --- | --- | --- |
 * | `pending` | waits for dispatch, claim or fetch | attempt, claim or live-claim → delivering; fetched → success; unclaimed or expired → missed; cancelled → failed; rerouted → pending |
 * | `delivering` | an attempt is running, or it is claimed | accepted → success; awaits its outcome → pending_outcome; to retry → retrying; spent → failed; lease lost → pending; attempt again, when one was cut short |
 * | `retrying` | failed; the next attempt has a time | attempt or live-claim → delivering; due → retry_ready; fetched → success; expired → missed; cancelled → failed |
 * | `retry_ready` | that time has come | as pending |
 * | `pending_outcome` | accepted by the endpoint; the outcome is awaited | deadline → outcome_timeout |
 * | `success`, `failed`, `missed`, `outcome_timeout` | the end | – |
 *
 * An outcome may be reported in any status, once, the end included: whoever was late did the work all the same. It decides
 * the status, and leaves a webhook that was delivered a success. `awaits_outcome`, `retry_due` and `outcome_deadline` are
 * for cues, whose retries and two phases their owner declares.
 */
export type ExecutionEvent =
  | 'attempt_started'
  | 'claimed'
  | 'live_claimed'
  | 'rerouted'
  | 'accepted'
  | 'awaits_outcome'
  | 'to_retry'
  | 'retry_due'
  | 'spent'
  | 'lease_lost'
  | 'fetched'
  | 'unclaimed'
  | 'expired'
  | 'cancelled'
  | 'outcome_deadline'
  | 'reported_success'
  | 'reported_failure';

type Row = Readonly<Partial<Record<ExecutionEvent, ExecutionStatus>>>;

const REPORTED: Row = { reported_success: 'success', reported_failure: 'failed' };

const WAITING: Row = {
  attempt_started: 'delivering',
  claimed: 'delivering',
  live_claimed: 'delivering',
  rerouted: 'pending',
  fetched: 'success',
  unclaimed: 'missed',
  expired: 'missed',
  cancelled: 'failed',
  ...REPORTED,
};

const TABLE: Readonly<Record<ExecutionStatus, Row>> = {
  pending: WAITING,
  delivering: {
    attempt_started: 'delivering',
    accepted: 'success',
    awaits_outcome: 'pending_outcome',
    to_retry: 'retrying',
    spent: 'failed',
    lease_lost: 'pending',
    ...REPORTED,
  },
  retrying: {
    attempt_started: 'delivering',
    live_claimed: 'delivering',
    retry_due: 'retry_ready',
    fetched: 'success',
    expired: 'missed',
    cancelled: 'failed',
    ...REPORTED,
  },
  retry_ready: WAITING,
  pending_outcome: { outcome_deadline: 'outcome_timeout', ...REPORTED },
  success: REPORTED,
  failed: REPORTED,
  missed: REPORTED,
  outcome_timeout: REPORTED,
};

/** Undefined when the event changes nothing in this status. */
export function nextExecutionStatus(
  status: ExecutionStatus,
  event: ExecutionEvent,
): ExecutionStatus | undefined {
  return TABLE[status][event];
}

export const takes = (status: ExecutionStatus, event: ExecutionEvent): boolean =>
  nextExecutionStatus(status, event) !== undefined;

const isStatus = (name: string): name is ExecutionStatus => name in TABLE;
const STATUS_NAMES = Object.keys(TABLE).filter(isStatus);

/** The statuses an event can be applied in, for a compare-and-set. */
export function statusesTaking(event: ExecutionEvent): ExecutionStatus[] {
  return STATUS_NAMES.filter((status) => takes(status, event));
}

/** Where an event leads, for a statement that moves many at once. */
export function statusAfter(event: ExecutionEvent): ExecutionStatus {
  const [to, ...others] = new Set(statusesTaking(event).map((status) => TABLE[status][event]));
  if (to === undefined || others.length > 0) throw new TypeError(`${event} leads to no one status`);
  return to;
}

/** What an execution that was just made is: it waits, unless there is nobody it could wait for. */
export function firstStatus({ missed }: { missed: boolean }): ExecutionStatus {
  return missed ? statusAfter('unclaimed') : 'pending';
}

/** Only a late report can change it now. */
export const isTerminal = (status: ExecutionStatus): boolean => TABLE[status] === REPORTED;

/** For statements, in the order in which the conditions of the indexes name them. */
const statusesThat = (fits: (status: ExecutionStatus) => boolean): Fixed => oneOf(STATUS_NAMES.filter(fits));

/** Not over: work or an outcome is awaited. */
export const OPEN = statusesThat((status) => !isTerminal(status));
/** Not accepted yet. */
export const UNDER_WAY = statusesThat((status) => !isTerminal(status) && status !== 'pending_outcome');
export const CLAIMABLE = statusesThat((status) => takes(status, 'claimed'));
export const OVER = statusesThat(isTerminal);
export const PENDING = word('pending' satisfies ExecutionStatus);

export const CUE = word('cue' satisfies ExecutionSource);
export const LIVE = word('live' satisfies Channel);
export const INBOX = word('inbox' satisfies Channel);

/** Which report it is to the status; undefined when a delivered webhook stays what it is. */
export function reportOn(
  status: ExecutionStatus,
  channel: Channel | null,
  success: boolean,
): 'reported_success' | 'reported_failure' | undefined {
  if (channel === 'webhook' && status === 'success') return undefined;
  return success ? 'reported_success' : 'reported_failure';
}
