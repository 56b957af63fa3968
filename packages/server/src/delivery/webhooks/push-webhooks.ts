import { fitsAsMetadata } from '@parley/protocol/delivery/fields';
import { MAX_RESPONSE_CHARS } from '@parley/protocol/delivery/limits';
import { outcomeReport } from '@parley/protocol/delivery/requests/execution-schemas';
import type { OutcomeReport } from '@parley/protocol/delivery/types';
import type { ExecutionSource } from '@parley/protocol/delivery/vocabulary';
import { parsedJson } from '@parley/protocol/json';
import type { Tx } from '../../platform/database/database.ts';
import { beginAttempt, endAttempt } from '../executions/attempt-store.ts';
import { handOver, type Taken } from '../executions/hand-over.ts';
import { type Journey, lockJourney, moveExecution } from '../executions/journeys.ts';
import type { Accepted } from '../executions/outcomes.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { ExecutionPatch, ExecutionRow } from '../records/execution-row.ts';
import { takes } from '../records/execution-states.ts';
import type { MessageEvent } from '../records/message-states.ts';
import { traceStep } from '../routing/trace.ts';
import type { WebhookDispatcher } from './dispatcher.ts';
import type { WebhookKind } from './webhook-kind.ts';

/** What a push to a webhook is for each source of executions. */
export interface PushSource extends Pick<WebhookKind, 'compose'> {
  readonly source: ExecutionSource;
  /** What is sent; null when there is nothing. */
  readonly refOf: (execution: ExecutionRow) => string | null;
  readonly mostAttempts: (execution: ExecutionRow) => number;
  /** Who has taken it meanwhile by another way. */
  readonly takenSince?: (journey: Journey) => Taken | undefined;
  /** The endpoint took it, and may have said what came of it. */
  accept(tx: Tx, journey: Journey, accepted: Accepted, said: OutcomeReport | undefined): Promise<void>;
  /** What else follows from a step that is written in the execution. */
  followed(tx: Tx, journey: Journey, step: PushStep, error?: string): Promise<void>;
}

export type PushStep = Extract<MessageEvent, 'attempt_started' | 'attempt_to_retry' | 'push_failed'>;
type Heard = Pick<ExecutionPatch, 'http_status' | 'response_body'>;

/** Sends executions of one source on their way to their endpoints. */
export function carryPushes(
  context: MessagingContext,
  dispatcher: WebhookDispatcher,
  kind: PushSource,
): void {
  const { clock } = context;
  const { source } = kind;

  const giveUp = async (tx: Tx, journey: Journey, error: string, heard: Heard): Promise<void> => {
    const step = traceStep(clock.now(), 'push', 'failed', error);
    const patch = { ...heard, error_message: error, next_retry_at: null };
    await moveExecution(context, tx, journey.execution, 'spent', patch, [step]);
    await kind.followed(tx, journey, 'push_failed', error);
  };

  const accept = async (tx: Tx, journey: Journey, heard: Heard, answer: string): Promise<void> => {
    const now = clock.now();
    const patch = { ...heard, delivered_at: now, error_message: null };
    const said = responseOutcome(answer);
    const report = said && !fitsAsMetadata(said.metadata ?? {}) ? { success: said.success } : said;
    await kind.accept(tx, journey, { patch, step: traceStep(now, 'push', 'delivered') }, report);
  };

  context.outlets.webhooks.set(source, async (tx, execution) => {
    const { id: executionId, owner_id: ownerId } = execution;
    const ref = kind.refOf(execution);
    if (ref !== null) await dispatcher.queue(tx, { ownerId, kind: source, ref, executionId, body: null });
  });

  dispatcher.carry({
    kind: source,

    async begin(tx, { executionId, attempt }) {
      const journey = await lockJourney(tx, executionId ?? '');
      if (!journey) return false;
      const { execution } = journey;
      if (execution.channel !== 'webhook' || !takes(execution.status, 'attempt_started')) return false;
      if (attempt > kind.mostAttempts(execution) && takes(execution.status, 'spent')) {
        await giveUp(tx, journey, 'interrupted', { http_status: null, response_body: null });
        return false;
      }
      const now = clock.now();
      await moveExecution(context, tx, execution, 'attempt_started', {
        attempts: attempt,
        started_at: execution.started_at ?? now,
        last_attempt_at: now,
        next_retry_at: null,
      });
      await beginAttempt(tx, execution.id, attempt, now);
      await kind.followed(tx, journey, 'attempt_started');
      return true;
    },

    compose: (delivery) => kind.compose(delivery),

    async record(tx, { executionId, attempt }, { next, status, answer, latencyMs }) {
      const error = next.kind === 'delivered' ? null : next.error;
      await endAttempt(tx, executionId ?? '', attempt, { status, error, latencyMs });
      const journey = await lockJourney(tx, executionId ?? '');
      // Closed meanwhile: by an outcome, with its agent or with its cue.
      if (!journey || !takes(journey.execution.status, 'accepted')) return false;
      const heard = { http_status: status, response_body: answer?.slice(0, MAX_RESPONSE_CHARS) ?? null };
      const taken = kind.takenSince?.(journey);
      if (next.kind === 'delivered') await accept(tx, journey, heard, answer ?? '');
      else if (taken) await handOver(context, tx, [journey.execution], taken, { event: 'accepted', heard });
      else if (next.kind === 'given_up') await giveUp(tx, journey, next.error, heard);
      else {
        const patch = { ...heard, next_retry_at: next.at, error_message: next.error };
        const step = traceStep(clock.now(), 'push', 'retrying', next.error);
        await moveExecution(context, tx, journey.execution, 'to_retry', patch, [step]);
        await kind.followed(tx, journey, 'attempt_to_retry');
        return true;
      }
      return false;
    },
  });
}

/** The outcome in an answer, if it is one: a JSON object with a boolean `success`. */
function responseOutcome(answer: string): OutcomeReport | undefined {
  const value = parsedJson(answer);
  if (typeof value !== 'object' || value === null || !('success' in value)) return undefined;
  const { success } = value;
  if (typeof success !== 'boolean') return undefined;
  // A detail that cannot be taken must not cost the verdict.
  const report = outcomeReport.safeParse(value);
  return report.success ? report.data : { success };
}
