import type { LiveUnclaimedReason } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { isOffered, takes } from '../records/execution-states.ts';
import { expire, hasElapsed, lapse, type LapseCause, type OfferState } from '../records/live-window.ts';
import type { MessageRow } from '../records/message-row.ts';
import type { PushObserver, Recipient } from '../routing/recipient.ts';
import { traceStep } from '../routing/trace.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { heldOffers, openOffers, openPushes } from '../records/execution-store.ts';
import { changeExecution, type Journey, lockJourney, moveExecution, targetOf } from './journeys.ts';
import { planPush, type PushPlan, type PushRequest } from '../routing/push-plan.ts';
import { announcePush, EXPIRE_JOB, LAPSE_JOB, missPush, redirectPush } from './pushes.ts';
import { lapseMode } from '../routing/routing.ts';
import { advanceMessage } from '../records/message-moves.ts';
import { HELD_JOB, nextLook, watchHeld } from './held-watch.ts';
import { isFresh } from '../routing/freshness.ts';
import { lockSessions } from '../sessions/session-store.ts';

/**
 * Ends offers to live sessions when their time is over, and those of cues that none took for as long as they wait. Looks whether a
 * session is fresh again for which offers are held.
 */
export function defineOffers(context: MessagingContext): void {
  const { jobs } = context;
  jobs.defineWrite<string>(LAPSE_JOB, (tx, id) => lapseOne(context, tx, id), { concurrency: 32 });
  jobs.defineWrite<string>(EXPIRE_JOB, (tx, id) => expireOne(context, tx, id), { concurrency: 4 });
  jobs.defineWrite<string>(HELD_JOB, (tx, agent) => lookForHeld(context, tx, agent), { concurrency: 4 });
}

async function expireOne(context: MessagingContext, tx: Tx, id: string): Promise<undefined> {
  const journey = await lockJourney(tx, id);
  const verdict = journey && expire(offerState(journey.execution));
  if (journey && verdict?.kind === 'missed')
    await missPush(context, tx, journey, verdict.outcome, verdict.reason);
}

/** What agents and their sessions do to offers. */
export const offerObserver = (context: MessagingContext): PushObserver => ({
  sessionDetached: (tx, session) => sessionDetached(context, tx, session),
  sessionFresh: (tx, { agent }) => offerHeld(context, tx, agent),
  agentDeleted: (tx, agent) => agentDeleted(context, tx, agent),
});

async function sessionDetached(
  context: MessagingContext,
  tx: Tx,
  session: { readonly id: string; readonly agent: string },
): Promise<void> {
  for (const id of await openOffers(tx, session.id)) {
    const journey = await lockJourney(tx, id);
    if (journey?.execution.session_id === session.id)
      await endOffer(context, tx, journey, 'session_detached');
  }
  // Another stands in for it now, and may be fresh all along.
  await offerHeld(context, tx, session.agent);
}

/** What waits for a live session of the agent is offered now, if one can take it. */
async function offerHeld(context: MessagingContext, tx: Tx, agent: string): Promise<void> {
  const held = await heldOffers(tx, agent);
  if (held.length === 0) return;
  const recipient = await context.recipients.find(tx, agent);
  if (!recipient) return;
  for (const id of held) {
    const journey = await lockJourney(tx, id);
    if (journey?.execution.held === 1) await offerOne(context, tx, journey, recipient);
  }
}

async function lookForHeld(context: MessagingContext, tx: Tx, agent: string): Promise<number | undefined> {
  // As a detach does: first the sessions, then what they are offered.
  await lockSessions(tx, agent);
  const { recipients, clock, settings } = context;
  const sessions = await recipients.sessions(tx, agent);
  const now = clock.now();
  if (sessions.some(({ beatAt }) => isFresh(beatAt, now, settings.heartbeatThresholdMs)))
    await offerHeld(context, tx, agent);
  return (await heldOffers(tx, agent)).length > 0 ? nextLook(context) : undefined;
}

async function agentDeleted(context: MessagingContext, tx: Tx, agent: string): Promise<void> {
  for (const id of await openPushes(tx, agent)) {
    const journey = await lockJourney(tx, id);
    if (!journey || !takes(journey.execution.status, 'cancelled')) continue;
    // What it only took for its live sibling goes another way; what was for itself ends.
    const to = targetOf(journey);
    await routeAnew(context, tx, journey, to === agent ? null : to);
  }
}

/** By what is true now. To nobody, or a recipient that is gone: it ends. */
async function routeAnew(
  context: MessagingContext,
  tx: Tx,
  journey: Journey,
  to: string | null,
  lapsed?: LiveUnclaimedReason,
): Promise<void> {
  const recipient = await context.recipients.find(tx, to);
  if (!recipient) return await closePush(context, tx, journey);
  await redirectPush(context, tx, journey, planAnew(context, journey, recipient, lapsed));
}

export function planAnew(
  { clock, settings }: MessagingContext,
  { execution, message }: Journey,
  recipient: Recipient,
  lapsed?: LiveUnclaimedReason,
): PushPlan {
  return planPush(recipient, requestOf(execution, message), { now: clock.now(), ...settings }, lapsed);
}

/** The offer was not taken. Does nothing when somebody was faster. */
async function endOffer(
  context: MessagingContext,
  tx: Tx,
  journey: Journey,
  cause: LapseCause,
): Promise<void> {
  const verdict = lapse(offerState(journey.execution), cause);
  switch (verdict.kind) {
    case 'too_late':
      return;
    case 'stays':
      return await holdOffer(context, tx, journey, cause);
    case 'missed':
      return await missPush(context, tx, journey, verdict.outcome, verdict.reason);
    case 'falls_back':
      return await routeAnew(context, tx, journey, targetOf(journey), verdict.reason);
  }
}

/** Whoever held it is gone. What a session took over goes to the channel it was sent by; what was offered lapses. */
export async function handBack(context: MessagingContext, tx: Tx, journey: Journey): Promise<void> {
  const { execution, message } = journey;
  const target = targetOf(journey);
  if (target === null) {
    // The work of a cue for nobody in particular, which a session had taken over: any worker may have it.
    const way = { channel: 'bg', route: 'background_direct' } as const;
    return await announcePush(context, tx, await changeExecution(context, tx, execution, way), undefined);
  }
  const { mode } = requestOf(execution, message);
  if (mode === 'live' || mode === 'auto') await endOffer(context, tx, journey, 'session_detached');
  else await routeAnew(context, tx, journey, target);
}

async function lapseOne(context: MessagingContext, tx: Tx, id: string): Promise<number | undefined> {
  const journey = await lockJourney(tx, id);
  const deadline = journey && openUntil(journey.execution);
  if (!journey || deadline == null) return undefined;
  // The clock was set back since, or the offer was made anew.
  if (!hasElapsed(deadline, context.clock.now())) return deadline;
  await endOffer(context, tx, journey, 'claim_window_elapsed');
  return undefined;
}

async function offerOne(
  context: MessagingContext,
  tx: Tx,
  journey: Journey,
  recipient: Recipient,
): Promise<void> {
  const plan = planAnew(context, journey, recipient);
  if (plan.action === 'offer') await redirectPush(context, tx, journey, plan);
}

async function holdOffer(
  context: MessagingContext,
  tx: Tx,
  { execution, message }: Journey,
  reason: LapseCause,
): Promise<void> {
  const { recipients, clock } = context;
  const patch = { held: 1, session_id: null, task: null, live_deadline_at: null };
  const steps = [traceStep(clock.now(), 'live_window', 'held', reason)];
  const held = await changeExecution(context, tx, execution, patch, steps);
  if (held.agent !== null) await watchHeld(context, tx, held.agent);
  const recipient = await recipients.find(tx, targetOf({ execution, message }));
  if (recipient) await offerOne(context, tx, { execution: held, message }, recipient);
}

/** There is nobody to take it any more. */
export async function closePush(
  context: MessagingContext,
  tx: Tx,
  { execution, message }: Journey,
): Promise<void> {
  const { clock } = context;
  const patch = { held: 0, error_message: AGENT_DELETED };
  const steps = [traceStep(clock.now(), 'push', 'closed', AGENT_DELETED)];
  await moveExecution(context, tx, execution, 'cancelled', patch, steps);
  if (message) await advanceMessage(context, tx, message, 'push_failed', { dispatch_error: AGENT_DELETED });
}

/** Why nothing comes of what was for an agent that is gone. */
export const AGENT_DELETED = 'agent_deleted';

/** Null when nobody is asked to take it any more, or it has no end. */
const openUntil = (execution: ExecutionRow): number | null =>
  isOffered(execution) ? execution.live_deadline_at : null;

/** The row as the rules of the live window see it. */
export function offerState(execution: ExecutionRow): OfferState {
  const { live_claimed_at: at, live_token_hash: tokenHash } = execution;
  return {
    status: execution.status,
    live: execution.channel === 'live',
    fellBack: execution.route === 'background_fallback',
    fallback: lapseMode(execution.delivery_mode, execution.live_fallback_mode ?? 'background'),
    claimedBy: execution.claimed_by,
    attested: at === null ? null : { at, tokenHash: tokenHash ?? '' },
    hasOutcome: execution.outcome_success !== null,
  };
}

export function requestOf(execution: ExecutionRow, message: MessageRow | undefined): PushRequest {
  return {
    mode: execution.delivery_mode ?? 'auto',
    fallback: execution.live_fallback_mode ?? 'background',
    liveLabel: message?.live_label ?? null,
  };
}
