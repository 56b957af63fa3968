import { MAX_RESPONSE_CHARS } from '@parley/protocol/delivery/limits';
import type { OutboundResult } from '../../platform/outbound/guarded-client.ts';
import { postWebhook } from '../../platform/outbound/post-webhook.ts';
import { deliverySigner } from '../../wire/delivery/webhook-signer.ts';
import type { Platform } from '../../platform.ts';
import { type AttemptResult, nextAttempt } from './retry-schedule.ts';
import type { AttemptReport, RunningDelivery, WebhookKind } from './webhook-kind.ts';

/** Read of an answer, so that an outcome in it can be understood; far less is kept. */
const READ_CHARS = 32 * MAX_RESPONSE_CHARS;

/** Makes one request and says what it came to. Nothing is stored here. */
export async function attemptDelivery(
  parts: Pick<Platform, 'clock' | 'random' | 'outbound'>,
  kind: Pick<WebhookKind, 'compose'>,
  delivery: RunningDelivery,
): Promise<AttemptReport> {
  const { clock, random } = parts;
  const outgoing = await kind.compose(delivery);
  if (!outgoing) {
    const next = { kind: 'given_up', error: 'endpoint_missing' } as const;
    return { next, status: null, answer: null, latencyMs: 0, url: null };
  }
  const start = clock.monotonic();
  const { secrets, retries, ...request } = outgoing;
  const result = await postWebhook(parts, {
    ...request,
    deliveryId: delivery.id,
    userAgent: 'CueAPI/1.0 (Parley)',
    sign: deliverySigner(secrets),
    maxResponseChars: READ_CHARS,
    // Connections are not shared between owners, who may post to the same host.
    pool: delivery.ownerId,
  });
  const next = nextAttempt(retries, delivery.attempt, resultOf(result), {
    now: clock.now(),
    jitter: random.unit(),
  });
  const answered = result.kind === 'response';
  return {
    next,
    status: answered ? result.status : null,
    answer: answered ? result.body : null,
    latencyMs: Math.round(clock.monotonic() - start),
    url: outgoing.url,
  };
}

function resultOf(result: OutboundResult): AttemptResult {
  if (result.kind === 'failure') return result;
  const { 'retry-after': retryAfter } = result.headers;
  return { kind: 'answer', status: result.status, retryAfter: retryAfter ?? null };
}
