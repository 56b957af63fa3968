import type { LiveFallbackMode, LiveUnclaimedReason } from '@parley/protocol/delivery/vocabulary';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Job, JobRun } from '../../platform/jobs/job.ts';
import { takes } from '../records/execution-states.ts';
import { isOver, lapse, type LapseCause, type OfferState } from '../records/live-window.ts';
import type { MessageMoves } from '../records/message-moves.ts';
import type { MessageRow } from '../records/message-row.ts';
import type { PushObserver, Recipient, Recipients } from '../routing/recipient.ts';
import type { DeliverySettings } from '../settings.ts';
import { traceStep } from '../routing/trace.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { heldOffers, openOffers, openPushes } from '../records/execution-store.ts';
import type { HeldOffers } from './held-offers.ts';
import type { Journey, Journeys } from './journeys.ts';
import { planFallback, planPush, type PlanTimes, type PushRequest } from '../routing/push-plan.ts';
import { LAPSE_JOB, type Pushes } from './pushes.ts';
import { lapseMode } from '../routing/routing.ts';

export interface LiveOffersOptions {
  database: Database;
  clock: Clock;
  jobs: Jobs;
  settings: DeliverySettings;
  recipients: Recipients;
  journeys: Journeys;
  pushes: Pushes;
  moves: MessageMoves;
  held: HeldOffers;
}

/** Offers to live sessions: how their time ends, and what a session's coming and going does to them (delivery §12). */
export class LiveOffers implements PushObserver {
  readonly #options: LiveOffersOptions;

  constructor(options: LiveOffersOptions) {
    this.#options = options;
    options.jobs.define<string>(LAPSE_JOB, {
      concurrency: 32,
      handler: (job, run) => this.#lapse(job, run),
    });
    options.held.offerBy((tx, agent) => this.sessionFresh(tx, { agent }));
  }

  get times(): PlanTimes {
    const { clock, settings } = this.#options;
    return { now: clock.now(), ...settings };
  }

  async sessionDetached(tx: Tx, session: { readonly id: string; readonly agent: string }): Promise<void> {
    for (const id of await openOffers(tx, session.id)) {
      const journey = await this.#options.journeys.lock(tx, id);
      if (journey?.execution.session_id === session.id) await this.end(tx, journey, 'session_detached');
    }
    // Another stands in for it now, and may be fresh all along.
    await this.sessionFresh(tx, session);
  }

  /** What waits for a live session of the agent is offered now, if this one or another can take it. */
  async sessionFresh(tx: Tx, { agent }: { readonly agent: string }): Promise<void> {
    const held = await heldOffers(tx, agent);
    if (held.length === 0) return;
    const recipient = await this.#options.recipients.find(tx, agent);
    if (!recipient) return;
    for (const id of held) {
      const journey = await this.#options.journeys.lock(tx, id);
      if (journey?.execution.held === 1) await this.#offerHeld(tx, journey, recipient);
    }
  }

  async agentDeleted(tx: Tx, agent: string): Promise<void> {
    for (const id of await openPushes(tx, agent)) {
      const journey = await this.#options.journeys.lock(tx, id);
      if (journey && takes(journey.execution.status, 'cancelled')) await this.#leave(tx, journey, agent);
    }
  }

  /** What a deleted agent only took for its live sibling goes another way; what was for itself ends. */
  async #leave(tx: Tx, journey: Journey, agent: string): Promise<void> {
    const { recipients, pushes } = this.#options;
    const { execution, message } = journey;
    const other = message && message.recipient !== agent ? message.recipient : undefined;
    const recipient = other === undefined ? undefined : await recipients.find(tx, other);
    if (!recipient) return await this.close(tx, journey);
    await pushes.redirect(tx, journey, planPush(recipient, requestOf(execution, message), this.times));
  }

  /** The offer was not taken. Does nothing when somebody was faster. */
  async end(tx: Tx, journey: Journey, cause: LapseCause): Promise<void> {
    const { pushes } = this.#options;
    const verdict = lapse(offerState(journey.execution), cause);
    switch (verdict.kind) {
      case 'too_late':
        return;
      case 'stays':
        return await this.#hold(tx, journey, cause);
      case 'missed':
        return await pushes.miss(tx, journey, verdict.outcome, verdict.reason);
      case 'falls_back':
        return await this.fallBack(tx, journey, verdict.reason);
    }
  }

  /** Whoever held it is gone. What a session took over goes to the channel it was sent by; what was offered lapses. */
  async handBack(tx: Tx, journey: Journey): Promise<void> {
    const { recipients, pushes } = this.#options;
    const { execution, message } = journey;
    const request = requestOf(execution, message);
    if (request.mode === 'live' || request.mode === 'auto')
      return await this.end(tx, journey, 'session_detached');
    const recipient = message && (await recipients.find(tx, message.recipient));
    if (!recipient) return await this.close(tx, journey);
    await pushes.redirect(tx, journey, planPush(recipient, request, this.times));
  }

  /** To whoever else takes it; a recipient that is gone takes nothing. */
  async fallBack(tx: Tx, journey: Journey, reason: LiveUnclaimedReason): Promise<void> {
    const { recipients, pushes } = this.#options;
    const suffix = journey.message?.recipient ?? journey.execution.agent;
    const recipient = suffix === null ? undefined : await recipients.find(tx, suffix);
    if (!recipient) return await this.close(tx, journey);
    const plan = planFallback(recipient, requestOf(journey.execution, journey.message), reason, this.times);
    await pushes.redirect(tx, journey, plan);
  }

  async #lapse(job: Job<string>, run: JobRun): Promise<void> {
    const { database, journeys, clock } = this.#options;
    await database.write(async (tx) => {
      const journey = await journeys.lock(tx, job.payload);
      const deadline = journey && openUntil(journey.execution);
      if (journey && deadline != null) {
        // The clock was set back since, or the offer was made anew.
        if (!isOver(deadline, clock.now())) {
          job.retryAt(deadline);
          return;
        }
        await this.end(tx, journey, 'claim_window_elapsed');
      }
      await run.complete(tx);
    });
  }

  async #offerHeld(tx: Tx, journey: Journey, recipient: Recipient): Promise<void> {
    const plan = planPush(recipient, requestOf(journey.execution, journey.message), this.times);
    if (plan.action === 'offer') await this.#options.pushes.redirect(tx, journey, plan);
  }

  async #hold(tx: Tx, { execution, message }: Journey, reason: LapseCause): Promise<void> {
    const { journeys, pushes, recipients, clock } = this.#options;
    pushes.withdraw(tx, execution);
    const patch = { held: 1, session_id: null, task: null, live_deadline_at: null };
    const steps = [traceStep(clock.now(), 'live_window', 'held', reason)];
    const held = await journeys.change(tx, execution, patch, steps);
    if (held.agent !== null) await this.#options.held.watch(tx, held.agent);
    const recipient = message && (await recipients.find(tx, message.recipient));
    if (recipient) await this.#offerHeld(tx, { execution: held, message }, recipient);
  }

  /** There is nobody to take it any more. */
  async close(tx: Tx, { execution, message }: Journey): Promise<void> {
    const { journeys, pushes, moves, clock } = this.#options;
    pushes.withdraw(tx, execution);
    const patch = { held: 0, error_message: AGENT_DELETED };
    const steps = [traceStep(clock.now(), 'push', 'closed', AGENT_DELETED)];
    await journeys.move(tx, execution, 'cancelled', patch, steps);
    if (message) await moves.apply(tx, message, 'push_failed', { dispatch_error: AGENT_DELETED });
  }
}

const AGENT_DELETED = 'agent_deleted';

/** Null when nobody is asked to take it any more, or it has no end. */
const openUntil = ({ status, channel, live_deadline_at: deadline }: ExecutionRow): number | null =>
  status === 'pending' && channel === 'live' ? deadline : null;

/** The row as the rules of the live window see it. */
export function offerState(execution: ExecutionRow): OfferState {
  const { live_claimed_at: at, live_token_hash: tokenHash } = execution;
  return {
    status: execution.status,
    live: execution.channel === 'live',
    fellBack: execution.route === 'background_fallback',
    fallback: fallbackOf(execution),
    claimedBy: execution.claimed_by,
    attested: at === null ? null : { at, tokenHash: tokenHash ?? '' },
    hasOutcome: execution.outcome_success !== null,
  };
}

const fallbackOf = ({ delivery_mode: mode, live_fallback_mode: asked }: ExecutionRow): LiveFallbackMode =>
  lapseMode(mode, asked ?? 'background');

export function requestOf(execution: ExecutionRow, message: MessageRow | undefined): PushRequest {
  return {
    mode: execution.delivery_mode ?? 'auto',
    fallback: execution.live_fallback_mode ?? 'background',
    liveLabel: message?.live_label ?? null,
  };
}
