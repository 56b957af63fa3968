import { isObject } from '@parley/protocol/json';
import type { HttpAnswer } from '../channels/transport.ts';
import { mayPass } from '../passing.ts';
import { asText, refusal } from '../refusal.ts';

/** The server refused. Decide on `code`; `message` is what it said. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly status: number;
  readonly code: string;
  /** What to do now, where the server knows. */
  readonly hint: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** All that the server said: some errors name fields or limits. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter?: number) {
    const error = isObject(body['error']) ? body['error'] : {};
    super(asText(error['message']) ?? `the server answered ${status}`);
    this.status = status;
    this.code = asText(error['code']) ?? `http_${status}`;
    this.hint = asText(error['hint']);
    this.retryAfterSeconds = retryAfter;
    this.body = body;
  }

  get notFound(): boolean {
    return this.status === 404;
  }

  /** Trying the same again later may work. */
  get retryable(): boolean {
    return mayPass(this.status);
  }
}

export const deliveryError = (answer: HttpAnswer): DeliveryError => refusal(DeliveryError, answer);
