import { MAX_RESPONSE_CHARS } from '@parley/protocol/delivery/limits';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/ids.ts';
import type { GuardedClient, OutboundResult } from '../../platform/outbound/guarded-client.ts';
import { type AttemptResult, nextAttempt } from './retry-schedule.ts';
import { signatureHeaders } from './signature.ts';
import type { AttemptReport, Outgoing, RunningDelivery, WebhookKind } from './webhook-kind.ts';

export interface WebhookSenderOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly outbound: GuardedClient;
}

/** Read of an answer, so that an outcome in it can be understood; far less is kept. */
const READ_CHARS = 32 * MAX_RESPONSE_CHARS;

/** Makes one request and says what it came to. Nothing is stored here. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  async attempt(kind: WebhookKind, delivery: RunningDelivery): Promise<AttemptReport> {
    const { clock, random } = this.#options;
    const outgoing = await kind.compose(delivery);
    if (!outgoing) {
      return {
        next: { kind: 'given_up', error: 'endpoint_missing' },
        status: null,
        answer: null,
        latencyMs: 0,
      };
    }
    const start = clock.monotonic();
    const result = await this.#post(outgoing, delivery);
    const next = nextAttempt(kind.retries, delivery.attempt, resultOf(result), {
      now: clock.now(),
      jitter: random.unit(),
    });
    const answered = result.kind === 'response';
    return {
      next,
      status: answered ? result.status : null,
      answer: answered ? result.body : null,
      latencyMs: Math.round(clock.monotonic() - start),
    };
  }

  async #post(outgoing: Outgoing, { id, ownerId }: RunningDelivery): Promise<OutboundResult> {
    const { clock, outbound } = this.#options;
    const { url, secrets, body, headers, timeoutMs } = outgoing;
    return await outbound.request({
      url,
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        'User-Agent': 'CueAPI/1.0 (Parley)',
        ...signatureHeaders(secrets, { deliveryId: id, now: clock.now(), body }),
      },
      body,
      timeoutMs,
      maxResponseChars: READ_CHARS,
      // Connections are not shared between owners, who may post to the same host.
      pool: ownerId,
    });
  }
}

function resultOf(result: OutboundResult): AttemptResult {
  if (result.kind === 'failure') return result;
  const { 'retry-after': retryAfter } = result.headers;
  return { kind: 'answer', status: result.status, retryAfter: retryAfter ?? null };
}
