import { isoSeconds } from '@parley/protocol/iso-seconds';
import { WEBHOOK_ATTEMPTS, WEBHOOK_LEASE_MS, WEBHOOK_TIMEOUT_MS } from '@parley/protocol/rooms/limits';
import { DeadJobError } from '../../platform/jobs/errors.ts';
import type { Job, JobRun } from '../../platform/jobs/job.ts';
import { postWebhook } from '../../platform/outbound/post-webhook.ts';
import { type Answered, noteWebhookResult } from '../../platform/outbound/webhook-results.ts';
import type { Platform } from '../../platform.ts';
import { roomSigner } from '../../wire/rooms/webhook-signer.ts';
import { newId } from '../ids.ts';
import type { RoomTelemetry } from '../telemetry.ts';
import { wireAgent } from '../room/room.ts';
import { type Destination, destinationOf } from './endpoints.ts';
import { HOOK_JOB, type HookJob } from './outbox.ts';

const CONCURRENCY = 256;
/** An endpoint that takes its time must not keep the others waiting. */
const PER_ENDPOINT = 32;

export interface HookParts
  extends Pick<Platform, 'clock' | 'config' | 'database' | 'jobs' | 'outbound' | 'secrets'> {
  readonly telemetry: RoomTelemetry;
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
    handler: (job, run) => attempt(parts, job, run),
    concurrency: CONCURRENCY,
    perGroup: PER_ENDPOINT,
    // What one node holds keeps the next in its room waiting.
    leaseMs: Math.min(parts.config.jobLeaseMs, WEBHOOK_LEASE_MS),
    maxAttempts: WEBHOOK_ATTEMPTS,
  });
}

async function attempt(parts: HookParts, job: Job<HookJob>, run: JobRun): Promise<void> {
  const { database, telemetry } = parts;
  const { endpointId } = job.payload;
  const destination = await destinationOf(parts, endpointId);
  if (!destination) return telemetry.hook('dropped');
  if (!destination.enabled) {
    telemetry.hook('dead');
    throw new DeadJobError('the endpoint is disabled');
  }
  const answered = await send(parts, job.payload, destination);
  const { status, error } = answered;
  // Who stood still meanwhile says nothing of what another has done since.
  await database.write(async (tx) => {
    await noteWebhookResult(tx, answered);
    await (error === null ? run.complete(tx) : run.hold(tx));
  });
  if (error === null) return telemetry.hook('delivered');
  const hopeless = status !== null && isFinal(status);
  telemetry.hook(hopeless || job.lastAttempt ? 'dead' : 'retried');
  throw hopeless ? new DeadJobError(error) : new Error(error);
}

/** One request that says what it is and nothing else, whether or not the endpoint is enabled. Undefined where there is none. */
export async function tryEndpoint(
  parts: Omit<HookParts, 'config' | 'jobs' | 'telemetry'> & Pick<Platform, 'random'>,
  endpointId: string,
): Promise<Pick<Answered, 'status' | 'error'> | undefined> {
  const destination = await destinationOf(parts, endpointId);
  if (!destination) return undefined;
  const body = {
    type: 'webhook.test',
    target_agent_id: wireAgent(destination.agent),
    reason: 'webhook_test',
    occurred_at: isoSeconds(parts.clock.now()),
    delivery_id: newId(parts.random, 'whd'),
  };
  const answered = await send(parts, { endpointId, body }, destination);
  await parts.database.write((tx) => noteWebhookResult(tx, answered));
  const { status, error } = answered;
  return { status, error };
}

interface Hook {
  readonly endpointId: string;
  readonly body: { readonly type: string; readonly delivery_id: string };
}

async function send(
  parts: Pick<Platform, 'clock' | 'outbound'>,
  { endpointId, body }: Hook,
  { url, ...destination }: Destination,
): Promise<Answered> {
  const result = await postWebhook(parts, {
    url,
    deliveryId: body.delivery_id,
    body: JSON.stringify(body),
    userAgent: 'parley-webhook/1',
    sign: roomSigner({ ...destination, type: body.type }),
    timeoutMs: WEBHOOK_TIMEOUT_MS,
  });
  const status = result.kind === 'response' ? result.status : null;
  const problem = result.kind === 'response' ? `answered ${result.status}` : result.reason;
  const error = status !== null && isSuccess(status) ? null : problem;
  return { scope: endpointId, url, status, error, at: parts.clock.now() };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The receiver understood and does not want it: sending it again would change nothing. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
