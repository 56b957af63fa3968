import type { HttpAnswer } from '../channels/transport.ts';
import { refusal } from '../refusal.ts';

/** The server refused. Decide on `code`; `hint` says what to do now. */
export class RoomsError extends Error {
  override readonly name = 'RoomsError';
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  /** Doing what the hint says and trying again may work. */
  readonly recoverable: boolean;
  readonly retryAfterSeconds: number | undefined;
  /** All that the server said: some errors name an endpoint or a limit. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    const hint = typeof body['hint'] === 'string' ? body['hint'] : `the server answered ${status}`;
    super(hint);
    this.status = status;
    this.code = typeof body['error'] === 'string' ? body['error'] : `http_${status}`;
    this.hint = hint;
    this.body = body;
    this.recoverable = body['recoverable'] === true;
    const wait = body['retry_after_seconds'];
    this.retryAfterSeconds = typeof wait === 'number' ? wait : undefined;
  }
}

export const roomsError = (answer: HttpAnswer): RoomsError => refusal(RoomsError, answer);
