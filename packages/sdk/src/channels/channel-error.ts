import { CHANNEL_ERRORS, isChannelErrorCode } from '@parley/protocol/channels/errors';
import { mayPass } from '../passing.ts';
import { asText, refusal } from '../refusal.ts';
import type { HttpAnswer } from './transport.ts';

/** The server refused. Decide on `code`. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  readonly code: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly evictedReason: string | undefined;
  readonly evictedSecondsAgo: number | undefined;
  readonly hibernating: boolean;
  readonly requestId: string | undefined;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter?: number) {
    const code = typeof body['error'] === 'string' ? body['error'] : `http_${status}`;
    super(isChannelErrorCode(code) ? `${code}: ${CHANNEL_ERRORS[code].hint}` : code);
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = number(body['retry_after_sec']) ?? retryAfter;
    this.evictedReason = asText(body['evicted_reason']);
    this.evictedSecondsAgo = number(body['evicted_s_ago']);
    this.hibernating = body['hibernating'] === true;
    this.requestId = asText(body['request_id']);
  }

  /** Trying the same again later may work. */
  get retryable(): boolean {
    return mayPass(this.status);
  }

  /** The channel is not there, or not for this token: nothing will bring it back. */
  get gone(): boolean {
    return this.status === 404 && !this.hibernating;
  }
}

export const channelError = (answer: HttpAnswer): ChannelError => refusal(ChannelError, answer);

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
