import { WEBHOOK_ATTEMPTS, WEBHOOK_LEASE_MS, WEBHOOK_TIMEOUT_MS } from '@parley/protocol/rooms/limits';
import type { Clock } from '../../platform/clock.ts';
import { DeadJobError } from '../../platform/jobs/errors.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { GuardedClient, OutboundResult } from '../../platform/outbound/guarded-client.ts';
import type { Destination, WebhookEndpoints } from './endpoints.ts';
import { hookHeaders } from './hook-headers.ts';
import { HOOK_JOB, type HookJob } from './outbox.ts';
import type { WebhookTelemetry } from './telemetry.ts';

const CONCURRENCY = 256;
/** An endpoint that takes its time must not keep the others waiting. */
const PER_ENDPOINT = 32;

export interface WebhookSenderOptions {
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly outbound: GuardedClient;
  readonly endpoints: WebhookEndpoints;
  readonly telemetry: WebhookTelemetry;
}

/**
 * Sends what the outbox holds, in order per lane.
 *
 * | answer                                       | then                                            |
 * |----------------------------------------------|-------------------------------------------------|
 * | 2xx                                          | delivered                                       |
 * | 4xx but 408 and 429; endpoint disabled       | dead at once                                    |
 * | anything else: 3xx, 5xx, no answer, timeout  | again after the usual backoff; dead after eight |
 * | (endpoint deleted)                           | thrown away                                     |
 */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  define(): void {
    this.#options.jobs.define<HookJob>(HOOK_JOB, {
      handler: (job) => this.#attempt(job),
      concurrency: CONCURRENCY,
      perGroup: PER_ENDPOINT,
      leaseMs: WEBHOOK_LEASE_MS,
      maxAttempts: WEBHOOK_ATTEMPTS,
    });
  }

  async #attempt(job: Job<HookJob>): Promise<void> {
    const { endpoints, telemetry } = this.#options;
    const { endpointId } = job.payload;
    const destination = await endpoints.destination(endpointId);
    if (!destination) return telemetry.outcome('dropped');
    if (!destination.enabled) {
      telemetry.outcome('dead');
      throw new DeadJobError('the endpoint is disabled');
    }
    const result = await this.#send(job.payload, destination);
    if (result.kind === 'response' && isSuccess(result.status)) return telemetry.outcome('delivered');
    const problem = result.kind === 'response' ? `answered ${result.status}` : result.reason;
    const hopeless = result.kind === 'response' && isFinal(result.status);
    telemetry.outcome(hopeless || job.lastAttempt ? 'dead' : 'retried');
    throw hopeless ? new DeadJobError(problem) : new Error(problem);
  }

  async #send({ body }: HookJob, { url, secret, keyId }: Destination): Promise<OutboundResult> {
    const { clock, outbound } = this.#options;
    const text = JSON.stringify(body);
    const headers = hookHeaders({
      deliveryId: body.delivery_id,
      type: body.type,
      keyId,
      secret,
      timestamp: Math.floor(clock.now() / 1000),
      body: text,
    });
    return await outbound.request({
      url,
      method: 'POST',
      headers,
      body: text,
      timeoutMs: WEBHOOK_TIMEOUT_MS,
    });
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The receiver understood and does not want it: sending it again would change nothing. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
