import { isObject, parsedObject } from '@parley/protocol/json';
import type { HttpAnswer } from '../channels/transport.ts';
import { mayPass } from '../passing.ts';

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
    super(text(error['message']) ?? `the server answered ${status}`);
    this.status = status;
    this.code = text(error['code']) ?? `http_${status}`;
    this.hint = text(error['hint']);
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

export function deliveryError(answer: HttpAnswer): DeliveryError {
  const retryAfter = Number(answer.header('retry-after') ?? Number.NaN);
  return new DeliveryError(
    answer.status,
    parsedObject(answer.body) ?? {},
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
