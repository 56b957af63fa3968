import type { Channel, ExecutionStatus } from '@parley/protocol/delivery/vocabulary';

/**
 * The life of an execution (delivery §17 to §20).
 *
 * | status | meaning | leaves by |
 * | --- | --- | --- |
 * | `pending` | waits for dispatch, claim or fetch | attempt or claim → delivering; fetched → success; unclaimed → missed; cancelled → failed |
 * | `delivering` | an attempt is running, or it is claimed | accepted → success; awaits its outcome → pending_outcome; to retry → retrying; spent → failed; lease lost → pending |
 * | `retrying` | failed; the next attempt has a time | due → retry_ready; fetched → success; cancelled → failed |
 * | `retry_ready` | that time has come | as pending |
 * | `pending_outcome` | accepted by the endpoint; the outcome is awaited | deadline → outcome_timeout |
 * | `success`, `failed`, `missed`, `outcome_timeout` | the end | – |
 *
 * An outcome may be reported in any state, once: it decides the status of what was claimed, and leaves a webhook that
 * was delivered a success.
 */
export type ExecutionEvent =
  | 'attempt_started'
  | 'claimed'
  | 'accepted'
  | 'awaits_outcome'
  | 'to_retry'
  | 'retry_due'
  | 'spent'
  | 'lease_lost'
  | 'fetched'
  | 'unclaimed'
  | 'cancelled'
  | 'outcome_deadline';

type Row = Readonly<Partial<Record<ExecutionEvent, ExecutionStatus>>>;

const WAITING: Row = {
  attempt_started: 'delivering',
  claimed: 'delivering',
  fetched: 'success',
  unclaimed: 'missed',
  cancelled: 'failed',
};

const TABLE: Readonly<Record<ExecutionStatus, Row>> = {
  pending: WAITING,
  delivering: {
    accepted: 'success',
    awaits_outcome: 'pending_outcome',
    to_retry: 'retrying',
    spent: 'failed',
    lease_lost: 'pending',
    fetched: 'success',
    cancelled: 'failed',
  },
  retrying: { retry_due: 'retry_ready', fetched: 'success', cancelled: 'failed' },
  retry_ready: WAITING,
  pending_outcome: { outcome_deadline: 'outcome_timeout' },
  success: {},
  failed: {},
  missed: {},
  outcome_timeout: {},
};

/** Undefined when the event changes nothing in this status. */
export function nextExecutionStatus(
  status: ExecutionStatus,
  event: ExecutionEvent,
): ExecutionStatus | undefined {
  return TABLE[status][event];
}

const isStatus = (name: string): name is ExecutionStatus => name in TABLE;
const STATUS_NAMES = Object.keys(TABLE).filter(isStatus);

/** The statuses an event can be applied in, for a compare-and-set. */
export function statusesTaking(event: ExecutionEvent): ExecutionStatus[] {
  return STATUS_NAMES.filter((status) => TABLE[status][event] !== undefined);
}

export const isTerminal = (status: ExecutionStatus): boolean => Object.keys(TABLE[status]).length === 0;

/** What an outcome makes of the status. Somebody's report on a delivered webhook does not undo the delivery. */
export function statusAfterOutcome(
  status: ExecutionStatus,
  channel: Channel,
  success: boolean,
): ExecutionStatus {
  const delivered = channel === 'webhook' && status === 'success';
  return delivered || success ? 'success' : 'failed';
}

/** A lost lease gives the work to somebody else, until its attempts are spent. */
export function afterLeaseLost(attempts: number, maxAttempts: number | null): 'lease_lost' | 'spent' {
  return maxAttempts !== null && attempts >= maxAttempts ? 'spent' : 'lease_lost';
}
