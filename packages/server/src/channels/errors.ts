import { CHANNEL_ERRORS, type ChannelErrorCode, type EvictionReason } from '@parley/protocol/channels/errors';
import type { Wait } from '../platform/limits/limiter.ts';
import { DomainError } from '../platform/http/domain-error.ts';

/** An error of the channels protocol: `{"error": code}` and the extra keys its row names. */
export class ChannelError extends DomainError {
  override readonly name = 'ChannelError';
  readonly code: ChannelErrorCode;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: ChannelErrorCode, extra: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.extra = extra;
  }

  get status(): number {
    return CHANNEL_ERRORS[this.code].status;
  }

  body(): object {
    const { allow: _, ...shown } = this.extra;
    return { error: this.code, ...shown };
  }

  override headers(): Readonly<Record<string, string>> {
    const { retry_after_sec: wait, allow } = this.extra;
    if (typeof wait === 'number') return { 'Retry-After': String(wait) };
    return typeof allow === 'string' ? { Allow: allow } : {};
  }
}

/** One and the same answer for a wrong token and an unknown channel. */
export const channelUnknown = (): ChannelError => new ChannelError('channel_or_token_invalid');

export function channelGone(reason: EvictionReason, secondsAgo: number): ChannelError {
  return new ChannelError('channel_or_token_invalid', { evicted_reason: reason, evicted_s_ago: secondsAgo });
}

/** What channels are kept in cannot be asked now. */
export const storeAway = (): ChannelError => new ChannelError('service_unavailable', { retry_after_sec: 1 });

export const isStoreAway = (error: Error): boolean =>
  error instanceof ChannelError && error.code === 'service_unavailable';

export const channelAsleep = (): ChannelError =>
  new ChannelError('channel_hibernating', { hibernating: true, rejoin: true, evicted_reason: 'hibernating' });

export const rateLimited = (
  { retryAfterSec, told }: Wait,
  code: 'rate_limited' | 'concurrent_channels_limit' = 'rate_limited',
): ChannelError =>
  new ChannelError(code, { retry_after_sec: retryAfterSec, ...(told !== undefined && { hint: told }) });
