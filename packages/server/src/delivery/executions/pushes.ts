import {
  type LiveUnclaimedOutcome,
  type LiveUnclaimedReason,
  NO_FALLBACK,
} from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { executionOffered } from '../records/event-payloads.ts';
import type { MessageRow } from '../records/message-row.ts';
import { patchMessage } from '../records/message-store.ts';
import { traceStep } from '../routing/trace.ts';
import { further, provedByPlan } from '../records/proof.ts';
import { topics } from '../records/wakes.ts';
import type { ExecutionPatch, ExecutionRow } from '../records/execution-row.ts';
import { type Journey, moveExecution } from './journeys.ts';
import type { PushPlan } from '../routing/push-plan.ts';
import { advanceMessage } from '../records/message-moves.ts';
import { watchHeld } from './held-watch.ts';
import { writeMissed } from './outcome-row.ts';

export const LAPSE_JOB = 'delivery.lapse';
export const UNCLAIMED_JOB = 'delivery.unclaimed';
/** Of cues, which have no message that expires. */
export const EXPIRE_JOB = 'delivery.live_only_over';

/** Puts an execution that exists on a new way. */
export async function redirectPush(
  context: MessagingContext,
  tx: Tx,
  { execution, message }: Journey,
  plan: PushPlan,
): Promise<void> {
  const { source, cue_id } = execution;
  // A cue keeps its own id, whichever session is asked.
  const columns = { ...plan.columns, ...(source === 'cue' && { cue_id }), ...UNCLAIMED };
  const changed = await moveExecution(context, tx, execution, 'rerouted', columns, plan.trace);
  if (message) await tell(context, tx, message, plan);
  await setOut(context, tx, { execution: changed, message }, plan);
}

/** What follows from a plan that is written in the execution. */
export async function setOut(
  context: MessagingContext,
  tx: Tx,
  { execution, message }: Journey,
  { action, missReason }: Pick<PushPlan, 'action' | 'missReason'>,
): Promise<void> {
  if (action === 'miss') return await missPush(context, tx, { execution, message }, NO_FALLBACK, missReason);
  const letter =
    execution.source === 'cue' && action === 'keep_in_inbox' && !message
      ? await context.outlets.letter?.(tx, execution)
      : message;
  await announcePush(context, tx, execution, letter);
}

async function tell(
  context: MessagingContext,
  tx: Tx,
  message: MessageRow,
  { action, warning }: PushPlan,
): Promise<void> {
  const stage = further(message.proven_stage, provedByPlan({ action }));
  if (message.warning === warning && message.proven_stage === stage) return;
  const updated_at = context.clock.now();
  await patchMessage(tx, message.id, { warning, proven_stage: stage, updated_at });
}

/** Everything that follows from the way an execution is on now. In the transaction that put it there. */
export async function announcePush(
  context: MessagingContext,
  tx: Tx,
  execution: ExecutionRow,
  message: MessageRow | undefined,
): Promise<void> {
  const { jobs, wakes, clock, settings, outlets } = context;
  const { id, channel, session_id: session, owner_id: ownerId, task, agent, held } = execution;
  const now = clock.now();
  if (channel === 'live' && session !== null) {
    wakes.offersChanged(tx, session);
    if (execution.live_deadline_at !== null) {
      await jobs.enqueue(tx, LAPSE_JOB, id, { dueAt: execution.live_deadline_at });
    }
  }
  if (channel === 'bg') {
    const payload: UnclaimedJob = { executionId: id, attempts: execution.attempts };
    await jobs.enqueue(tx, UNCLAIMED_JOB, payload, { dueAt: now + settings.unclaimedTimeoutMs });
  }
  if (held === 1 && agent !== null) await watchHeld(context, tx, agent);
  context.events.note(tx, executionOffered(execution, settings.spellAgent));
  if ((channel === 'bg' || channel === 'live') && held === 0) {
    wakes.after(tx, topics.claimable(ownerId, task), topics.claimable(ownerId, null));
  }
  // Also of a message that is over, when it is sent once more.
  if (channel === 'webhook') {
    await outlets.webhooks.get(execution.source)?.(tx, execution);
  }
  if (execution.source === 'cue') await watchCue(context, tx, execution);
  if (!message) return;
  wakes.after(tx, topics.inbox(message.recipient));
  outlets.wake?.(tx, message.recipient, message.id);
}

/** The agent hears of it on its stream; and what only a live session may take does not wait for ever. */
async function watchCue(context: MessagingContext, tx: Tx, execution: ExecutionRow): Promise<void> {
  const { jobs, settings, outlets } = context;
  const { id, channel, agent, live_deadline_at: deadline } = execution;
  if (agent !== null) outlets.wakeByCue?.(tx, agent, id);
  if (channel !== 'live' || deadline !== null) return;
  const dueAt = execution.scheduled_for + settings.liveOnlyCueLimitMs;
  await jobs.enqueue(tx, EXPIRE_JOB, id, { key: id, dueAt });
}

/** No live session took it, and nobody else may. */
export async function missPush(
  context: MessagingContext,
  tx: Tx,
  { execution, message }: Journey,
  outcome: LiveUnclaimedOutcome,
  reason: LiveUnclaimedReason | null,
): Promise<void> {
  const { clock } = context;
  const now = clock.now();
  const steps = [traceStep(now, 'outcome', outcome, reason)];
  const columns = missedColumns(outcome, reason);
  const moved = await moveExecution(context, tx, execution, 'unclaimed', columns, steps);
  await writeMissed(context, tx, { execution: moved, message }, outcome, now);
  if (message) await advanceMessage(context, tx, message, 'push_failed', { dispatch_error: outcome });
}

export interface UnclaimedJob {
  readonly executionId: string;
  /** As many as there were: a claim since then makes the job void. */
  readonly attempts: number;
}

/** What a claim wrote, taken back. */
export const UNCLAIMED = {
  claimed_by: null,
  claimed_at: null,
  lease_expires_at: null,
  last_heartbeat_at: null,
  live_claimed_at: null,
  live_token_hash: null,
  live_attestation: null,
} as const satisfies ExecutionPatch;

/** What an execution has to tell before anything was tried. */
export const UNTRIED = {
  ...UNCLAIMED,
  live_unclaimed_reason: null,
  attempts: 0,
  started_at: null,
  delivered_at: null,
  last_attempt_at: null,
  next_retry_at: null,
  http_status: null,
  response_body: null,
  error_message: null,
  executed_via: null,
  outcome_success: null,
  outcome_state: null,
  result_type: null,
  has_evidence: 0,
} as const satisfies ExecutionPatch;

/** Where an execution is going that has no way yet. */
export const UNROUTED = {
  session_id: null,
  task: null,
  channel: null,
  route: null,
  held: 0,
  via_parent: 0,
  beat_age_ms: null,
  live_deadline_at: null,
} as const satisfies ExecutionPatch;

export function missedColumns(outcome: LiveUnclaimedOutcome, reason: LiveUnclaimedReason | null) {
  return {
    held: 0,
    live_unclaimed_reason: reason,
    outcome_state: outcome,
    outcome_success: 0,
    error_message: outcome,
  };
}
