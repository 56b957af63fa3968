import type { Channel, ExecutionSource, ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import { type Fixed, oneOf, word } from '../../platform/database/sql.ts';
import { stateMachine } from './state-machine.ts';

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

const life = stateMachine<ExecutionStatus, ExecutionEvent>(TABLE);
export const { next: nextExecutionStatus, takes, taking: statusesTaking, after: statusAfter } = life;

/** What an execution that was just made is: it waits, unless there is nobody it could wait for. */
export function firstStatus({ missed }: { missed: boolean }): ExecutionStatus {
  return missed ? statusAfter('unclaimed') : 'pending';
}

/** Only a late report can change it now. */
export const isTerminal = (status: ExecutionStatus): boolean => TABLE[status] === REPORTED;

/** For statements, in the order in which the conditions of the indexes name them. */
const statusesThat = (fits: (status: ExecutionStatus) => boolean): Fixed => oneOf(life.names.filter(fits));

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

/** A live session is asked to take it, and nobody has. */
export const isOffered = ({
  channel,
  status,
}: {
  channel: Channel | null;
  status: ExecutionStatus;
}): boolean => channel === 'live' && status === 'pending';

/** A delivered webhook is a success whatever is reported of the work; then the report decides. */
export const succeeded = (execution: { status: ExecutionStatus; outcome_success: number | null }): boolean =>
  execution.status === 'success' && execution.outcome_success !== 0;

/** Which report it is to the status; undefined when a delivered webhook stays what it is. */
export function reportOn(
  status: ExecutionStatus,
  channel: Channel | null,
  success: boolean,
): 'reported_success' | 'reported_failure' | undefined {
  if (channel === 'webhook' && status === 'success') return undefined;
  return success ? 'reported_success' : 'reported_failure';
}
