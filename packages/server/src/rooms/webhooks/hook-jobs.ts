import { WEBHOOK_ATTEMPTS, WEBHOOK_LEASE_MS, WEBHOOK_TIMEOUT_MS } from '@parley/protocol/rooms/limits';
import { DeadJobError } from '../../platform/jobs/errors.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { OutboundResult } from '../../platform/outbound/guarded-client.ts';
import { postWebhook } from '../../platform/outbound/post-webhook.ts';
import { noteWebhookResult } from '../../platform/outbound/webhook-results.ts';
import type { Platform } from '../../platform.ts';
import { roomSigner } from '../../platform/outbound/webhook-signer.ts';
import { type Destination, destinationOf } from './endpoints.ts';
import { HOOK_JOB, type HookJob } from './outbox.ts';
import type { WebhookTelemetry } from './telemetry.ts';

const CONCURRENCY = 256;
/** An endpoint that takes its time must not keep the others waiting. */
const PER_ENDPOINT = 32;

export interface HookParts extends Pick<Platform, 'clock' | 'database' | 'jobs' | 'outbound' | 'secrets'> {
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
export function sendHooks(parts: HookParts): void {
  parts.jobs.define<HookJob>(HOOK_JOB, {
    handler: (job) => attempt(parts, job),
    concurrency: CONCURRENCY,
    perGroup: PER_ENDPOINT,
    leaseMs: WEBHOOK_LEASE_MS,
    maxAttempts: WEBHOOK_ATTEMPTS,
  });
}

async function attempt(parts: HookParts, job: Job<HookJob>): Promise<void> {
  const { telemetry } = parts;
  const { endpointId } = job.payload;
  const destination = await destinationOf(parts, endpointId);
  if (!destination) return telemetry.outcome('dropped');
  if (!destination.enabled) {
    telemetry.outcome('dead');
    throw new DeadJobError('the endpoint is disabled');
  }
  const result = await send(parts, job.payload, destination);
  const status = result.kind === 'response' ? result.status : null;
  const taken = status !== null && isSuccess(status);
  const problem = result.kind === 'response' ? `answered ${result.status}` : result.reason;
  const { url } = destination;
  const answered = { scope: endpointId, url, status, error: taken ? null : problem, at: parts.clock.now() };
  await parts.database.write((tx) => noteWebhookResult(tx, answered));
  if (taken) return telemetry.outcome('delivered');
  const hopeless = result.kind === 'response' && isFinal(result.status);
  telemetry.outcome(hopeless || job.lastAttempt ? 'dead' : 'retried');
  throw hopeless ? new DeadJobError(problem) : new Error(problem);
}

function send(
  parts: HookParts,
  { body }: HookJob,
  { url, ...destination }: Destination,
): Promise<OutboundResult> {
  return postWebhook(parts, {
    url,
    deliveryId: body.delivery_id,
    body: JSON.stringify(body),
    userAgent: 'parley-webhook/1',
    sign: roomSigner({ ...destination, type: body.type }),
    timeoutMs: WEBHOOK_TIMEOUT_MS,
  });
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The receiver understood and does not want it: sending it again would change nothing. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
