import { fitsAsMetadata } from '@parley/protocol/delivery/fields';
import { MAX_RESPONSE_CHARS } from '@parley/protocol/delivery/limits';
import { signingSecrets } from '../../../identity/owners/account-secrets.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { type Json, signedJson } from '../../../wire/delivery/signed-json.ts';
import { iso } from '../../../wire/delivery/times.ts';
import { agentRecord } from '../../agents/agent-store.ts';
import { beginAttempt, endAttempt } from '../../executions/attempt-store.ts';
import { startupOf } from '../../executions/execution-answers.ts';
import { lockJourney, moveExecution } from '../../executions/journeys.ts';
import { acceptWithAnswer } from '../../executions/outcomes.ts';
import type { ExecutionPatch, ExecutionRow } from '../../records/execution-row.ts';
import { takes } from '../../records/execution-states.ts';
import { executionById } from '../../records/execution-store.ts';
import type { Transport, WebhookPush } from '../../records/transport.ts';
import { traceStep } from '../../routing/trace.ts';
import type { WebhookDispatcher } from '../../webhooks/dispatcher.ts';
import { responseOutcome } from '../../webhooks/response-outcome.ts';
import { cueRetries } from '../../webhooks/retry-schedule.ts';
import type { AttemptReport, Outgoing, RunningDelivery, WebhookKind } from '../../webhooks/webhook-kind.ts';
import type { CueContext } from '../cue-context.ts';
import { callbackOf, type CueRow, deliveryOf, retryOf } from '../record/cue-row.ts';
import { countRun, cueById } from '../record/cue-store.ts';

const OUTCOME_JOB = 'delivery.outcome_deadline';

export interface CueWebhooksOptions extends CueContext {
  readonly dispatcher: WebhookDispatcher;
}

/** Fires of cues to their callbacks, or to the endpoint of their agent. */
export class CueWebhooks implements WebhookKind, Transport {
  readonly kind = 'cue';
  readonly carries = 'cue';
  readonly #options: CueWebhooksOptions;

  constructor(options: CueWebhooksOptions) {
    this.#options = options;
    options.jobs.defineWrite<string>(OUTCOME_JOB, (tx, id) => this.#giveUpWaiting(tx, id), {
      concurrency: 16,
    });
  }

  async queue(tx: Tx, { executionId, ownerId }: WebhookPush): Promise<void> {
    const { dispatcher } = this.#options;
    await dispatcher.queue(tx, { ownerId, kind: this.kind, ref: executionId, executionId, body: null });
  }

  async begin(tx: Tx, { executionId, attempt }: RunningDelivery): Promise<boolean> {
    const journey = await lockJourney(this.#options, tx, executionId ?? '');
    const execution = journey?.execution;
    if (execution?.channel !== 'webhook' || !takes(execution.status, 'attempt_started')) return false;
    if (attempt > (execution.max_attempts ?? 1) && takes(execution.status, 'spent')) {
      await this.#fail(tx, execution, 'interrupted', { http_status: null, response_body: null });
      return false;
    }
    const now = this.#options.clock.now();
    await moveExecution(this.#options, tx, execution, 'attempt_started', {
      attempts: attempt,
      started_at: execution.started_at ?? now,
      last_attempt_at: now,
      next_retry_at: null,
    });
    await beginAttempt(tx, execution.id, attempt, now);
    await countRun(tx, execution.cue_id);
    return true;
  }

  async compose({ executionId, attempt }: RunningDelivery): Promise<Outgoing | undefined> {
    const { database, settings, identity } = this.#options;
    const execution = await executionById(database.read, executionId ?? '');
    const cue = execution && (await cueById(database.read, execution.cue_id));
    const endpoint = cue && (await this.#endpoint(cue, execution));
    if (!endpoint) return undefined;
    const timeout = deliveryOf(cue)?.timeout_seconds;
    const { max_attempts: maxAttempts, backoff_minutes: backoffMinutes } = retryOf(cue);
    const scheduledFor = iso(execution.scheduled_for);
    const payload = await this.#payload(execution);
    return {
      url: endpoint.url,
      method: endpoint.method,
      secrets: await signingSecrets(identity, cue.owner_id, 'webhook_secret'),
      body: signedJson({
        execution_id: execution.id,
        cue_id: cue.id,
        name: cue.name,
        scheduled_for: scheduledFor,
        attempt,
        payload,
      }),
      headers: {
        ...allowed(endpoint.headers),
        'X-CueAPI-Cue-Id': cue.id,
        'X-CueAPI-Execution-Id': execution.id,
        'X-CueAPI-Scheduled-For': scheduledFor,
        'X-CueAPI-Attempt': String(attempt),
      },
      timeoutMs: timeout === undefined ? settings.webhookTimeoutMs : timeout * 1000,
      retries: cueRetries({ maxAttempts, backoffMinutes }),
    };
  }

  async #payload(execution: ExecutionRow): Promise<Json> {
    const payload = JSON.parse(execution.payload ?? '{}') as { readonly [key: string]: Json };
    if (execution.attach !== 'startup') return payload;
    const startup = await startupOf(this.#options, this.#options.database.read, execution);
    // It is made of JSON.
    return { ...payload, startup: startup as Json };
  }

  async record(tx: Tx, delivery: RunningDelivery, report: AttemptReport): Promise<boolean> {
    const { next, status, answer, latencyMs } = report;
    const { executionId, attempt } = delivery;
    const error = next.kind === 'delivered' ? null : next.error;
    await endAttempt(tx, executionId ?? '', attempt, { status, error, latencyMs });
    const journey = await lockJourney(this.#options, tx, executionId ?? '');
    const execution = journey?.execution;
    // Closed meanwhile, by an outcome or with its cue.
    if (!execution || !takes(execution.status, 'accepted')) return false;
    const heard = { http_status: status, response_body: answer?.slice(0, MAX_RESPONSE_CHARS) ?? null };
    if (next.kind === 'delivered') {
      await this.#accept(tx, execution, heard, answer ?? '');
      return false;
    }
    if (next.kind === 'given_up') {
      await this.#fail(tx, execution, next.error, heard);
      return false;
    }
    const patch = { ...heard, next_retry_at: next.at, error_message: next.error };
    const step = traceStep(this.#options.clock.now(), 'push', 'retrying', next.error);
    await moveExecution(this.#options, tx, execution, 'to_retry', patch, [step]);
    return true;
  }

  /** To its own callback, or to where the agent it was routed to takes webhooks. */
  async #endpoint(cue: CueRow, execution: ExecutionRow): Promise<Endpoint | undefined> {
    if (execution.target === null) return callbackOf(cue) ?? undefined;
    const agent = await agentRecord(this.#options.database.read, execution.agent ?? execution.target);
    if (agent?.webhookUrl == null || agent.deletedAt !== null) return undefined;
    return { url: agent.webhookUrl, method: 'POST', headers: {} };
  }

  /** An outcome in the answer is the outcome. Without one it is awaited, where the cue says so. */
  async #accept(tx: Tx, execution: ExecutionRow, heard: Heard, answer: string): Promise<void> {
    const { clock, jobs } = this.#options;
    const now = clock.now();
    const patch: ExecutionPatch = { ...heard, delivered_at: now, error_message: null };
    const step = traceStep(now, 'push', 'delivered');
    const said = responseOutcome(answer);
    if (said && execution.outcome_success === null) {
      const report = fitsAsMetadata(said.metadata ?? {}) ? said : { success: said.success };
      await acceptWithAnswer(this.#options, tx, { execution, message: undefined }, report, { patch, step });
      return;
    }
    const cue = await cueById(tx, execution.cue_id);
    const deadline = cue && deliveryOf(cue)?.outcome_deadline_seconds;
    if (deadline === undefined || execution.outcome_success !== null) {
      await moveExecution(this.#options, tx, execution, 'accepted', patch, [step]);
      return;
    }
    const waits = traceStep(now, 'outcome', 'awaited', `${deadline} s`);
    await moveExecution(this.#options, tx, execution, 'awaits_outcome', patch, [step, waits]);
    await jobs.enqueue(tx, OUTCOME_JOB, execution.id, { dueAt: now + deadline * 1000 });
  }

  async #fail(tx: Tx, execution: ExecutionRow, error: string, heard: Heard): Promise<void> {
    const patch: ExecutionPatch = { ...heard, error_message: error, next_retry_at: null };
    const step = traceStep(this.#options.clock.now(), 'push', 'failed', error);
    await moveExecution(this.#options, tx, execution, 'spent', patch, [step]);
  }

  async #giveUpWaiting(tx: Tx, executionId: string): Promise<undefined> {
    const execution = (await lockJourney(this.#options, tx, executionId))?.execution;
    if (!execution || !takes(execution.status, 'outcome_deadline')) return;
    const patch: ExecutionPatch = { outcome_state: 'unknown', error_message: NO_OUTCOME };
    const step = traceStep(this.#options.clock.now(), 'outcome', 'unknown', 'deadline_passed');
    await moveExecution(this.#options, tx, execution, 'outcome_deadline', patch, [step]);
  }
}

const NO_OUTCOME = 'No outcome was reported within the deadline';

type Heard = Pick<ExecutionPatch, 'http_status' | 'response_body'>;

interface Endpoint {
  readonly url: string;
  readonly method: NonNullable<Outgoing['method']>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What a cue must not set: ours, which receivers trust, and those that say where a request goes and how long it is, with
 * which one request could be made to look like two.
 */
const RESERVED =
  /^(?:x-cueapi-.*|webhook-.*|host|content-.*|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

const allowed = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !RESERVED.test(name)));
