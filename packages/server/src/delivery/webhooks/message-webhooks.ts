import { MAX_RESPONSE_CHARS } from '@parley/protocol/delivery/limits';
import { fitsAsMetadata } from '@parley/protocol/delivery/fields';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { agentRecord } from '../agents/agent-store.ts';
import type { WebhookSecrets } from '../agents/webhook-secrets.ts';
import { beginAttempt, endAttempt } from '../executions/attempt-store.ts';
import { takes } from '../records/execution-states.ts';
import type { ExecutionPatch } from '../records/execution-row.ts';
import { executionById } from '../records/execution-store.ts';
import { startupOf } from '../executions/execution-answers.ts';
import { type Journey, lockJourney, moveExecution } from '../executions/journeys.ts';
import { messagesById } from '../records/message-store.ts';
import { MESSAGE_RETRIES } from './retry-schedule.ts';
import { type Json, signedJson } from '../../wire/delivery/signed-json.ts';
import { traceStep } from '../routing/trace.ts';
import type { Transport, WebhookPush } from '../records/transport.ts';
import type { WebhookDispatcher } from './dispatcher.ts';
import { messageBody } from './message-body.ts';
import { responseOutcome } from './response-outcome.ts';
import type { AttemptReport, Outgoing, RunningDelivery, WebhookKind } from './webhook-kind.ts';
import { advanceMessage } from '../records/message-moves.ts';
import { handOver, type Taken } from '../executions/hand-over.ts';
import { recordAnswer } from '../executions/outcomes.ts';

export interface MessageWebhooksOptions extends MessagingContext {
  readonly webhookSecrets: WebhookSecrets;
  readonly dispatcher: WebhookDispatcher;
}

/** Messages to the endpoints of agents. */
export class MessageWebhooks implements WebhookKind, Transport {
  readonly kind = 'message';
  readonly carries = 'message';
  readonly #options: MessageWebhooksOptions;

  constructor(options: MessageWebhooksOptions) {
    this.#options = options;
  }

  async queue(tx: Tx, { executionId, messageId, ownerId }: WebhookPush): Promise<void> {
    const { dispatcher } = this.#options;
    if (messageId === null) return;
    await dispatcher.queue(tx, { ownerId, kind: this.kind, ref: messageId, executionId, body: null });
  }

  async begin(tx: Tx, delivery: RunningDelivery): Promise<boolean> {
    const { clock } = this.#options;
    const journey = await lockJourney(this.#options, tx, delivery.executionId ?? '');
    if (!journey) return false;
    const { execution, message } = journey;
    if (execution.channel !== 'webhook' || !takes(execution.status, 'attempt_started')) return false;
    if (delivery.attempt > MESSAGE_RETRIES.maxAttempts) {
      await this.#give(tx, journey, 'interrupted', { http_status: null, response_body: null });
      return false;
    }
    const now = clock.now();
    await moveExecution(this.#options, tx, execution, 'attempt_started', {
      attempts: delivery.attempt,
      started_at: execution.started_at ?? now,
      last_attempt_at: now,
      next_retry_at: null,
    });
    if (message) await advanceMessage(this.#options, tx, message, 'attempt_started');
    await beginAttempt(tx, execution.id, delivery.attempt, now);
    return true;
  }

  async compose({ executionId, ref, attempt }: RunningDelivery): Promise<Outgoing | undefined> {
    const { database, recipients, webhookSecrets, settings } = this.#options;
    const { read } = database;
    const message = (await messagesById(read, [ref])).get(ref);
    const execution = await executionById(read, executionId ?? '');
    if (!message || !execution) return undefined;
    const recipient = await agentRecord(read, message.recipient);
    const secrets = await webhookSecrets.read(read, message.recipient);
    if (recipient?.webhookUrl == null || recipient.deletedAt !== null || !secrets) return undefined;
    const addresses = await recipients.addresses(read, [message.sender, message.recipient]);
    const { spellAgent } = settings;
    const carried =
      execution.attach === 'startup' ? await startupOf(this.#options, read, execution) : undefined;
    // It is made of JSON.
    const startup = carried === undefined ? {} : { startup: carried as Json };
    return {
      url: recipient.webhookUrl,
      secrets,
      body: signedJson({ ...messageBody(message, execution, { addresses, spellAgent }), ...startup }),
      headers: {
        'X-CueAPI-Event-Type': 'message.created',
        'X-CueAPI-Message-Id': message.id,
        'X-CueAPI-Agent-Id': spellAgent(message.recipient),
        'X-CueAPI-Thread-Id': message.thread_id,
        'X-CueAPI-Attempt': String(attempt),
      },
      timeoutMs: settings.webhookTimeoutMs,
      retries: MESSAGE_RETRIES,
    };
  }

  async record(tx: Tx, delivery: RunningDelivery, report: AttemptReport): Promise<boolean> {
    const { next, status, answer, latencyMs } = report;
    const { executionId, attempt } = delivery;
    const error = next.kind === 'delivered' ? null : next.error;
    await endAttempt(tx, executionId ?? '', attempt, { status, error, latencyMs });
    const journey = await lockJourney(this.#options, tx, executionId ?? '');
    // Closed meanwhile, by an outcome or with its agent.
    if (!journey || !takes(journey.execution.status, 'accepted')) return false;
    const heard = { http_status: status, response_body: answer?.slice(0, MAX_RESPONSE_CHARS) ?? null };
    if (next.kind === 'delivered') {
      await this.#accept(tx, journey, heard, answer ?? '');
      return false;
    }
    const taken = takenSince(journey);
    if (taken) {
      await handOver(this.#options, tx, [journey.execution], taken, { event: 'accepted', heard });
      return false;
    }
    if (next.kind === 'given_up') {
      await this.#give(tx, journey, next.error, heard);
      return false;
    }
    await this.#retry(tx, journey, next, heard);
    return true;
  }

  async #accept(tx: Tx, { execution, message }: Journey, heard: Heard, answer: string): Promise<void> {
    const { clock } = this.#options;
    const now = clock.now();
    const patch: ExecutionPatch = { ...heard, delivered_at: now, error_message: null };
    const steps = [traceStep(now, 'push', 'delivered')];
    const accepted = await moveExecution(this.#options, tx, execution, 'accepted', patch, steps);
    const said = responseOutcome(answer);
    const report = said && !fitsAsMetadata(said.metadata ?? {}) ? { success: said.success } : said;
    // A failure that is reported at once is what the message ends in: its text was delivered, its state never so.
    const moved =
      message && report?.success !== false
        ? await advanceMessage(this.#options, tx, message, 'attempt_delivered')
        : message;
    if (report) await recordAnswer(this.#options, tx, { execution: accepted, message: moved }, report);
  }

  async #give(tx: Tx, { execution, message }: Journey, error: string, heard: Heard): Promise<void> {
    const { clock } = this.#options;
    const patch: ExecutionPatch = { ...heard, error_message: error, next_retry_at: null };
    await moveExecution(this.#options, tx, execution, 'spent', patch, [
      traceStep(clock.now(), 'push', 'failed', error),
    ]);
    if (message) await advanceMessage(this.#options, tx, message, 'push_failed', { dispatch_error: error });
  }

  async #retry(
    tx: Tx,
    { execution, message }: Journey,
    next: Extract<AttemptReport['next'], { kind: 'again' }>,
    heard: Heard,
  ): Promise<void> {
    const { clock } = this.#options;
    const retrying = { next_retry_at: next.at, error_message: next.error };
    const step = traceStep(clock.now(), 'push', 'retrying', next.error);
    await moveExecution(this.#options, tx, execution, 'to_retry', { ...heard, ...retrying }, [step]);
    if (message) await advanceMessage(this.#options, tx, message, 'attempt_to_retry');
  }
}

type Heard = Pick<ExecutionPatch, 'http_status' | 'response_body'>;

/** By another way. What a replay sends once more the recipient may have had before; only since then does it matter. */
function takenSince({ execution, message }: Journey): Taken | undefined {
  if (message?.state !== 'read' && message?.state !== 'acked') return undefined;
  const at = message.acked_at ?? message.read_at;
  const before = execution.triggered_by === 'replay' && at !== null && at < execution.created_at;
  return before ? undefined : message.state;
}
