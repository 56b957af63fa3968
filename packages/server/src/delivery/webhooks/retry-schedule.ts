import { MAX_RETRY_AFTER, MESSAGE_RETRY_WAITS, RETRY_JITTER } from '@parley/protocol/delivery/limits';
import type { CueRetry } from '@parley/protocol/delivery/types';
import type { AttemptError } from '@parley/protocol/delivery/vocabulary';
import type { Failure } from '../../platform/outbound/failures.ts';

/**
 * What an attempt on a webhook comes to, and when the next one is.
 *
 * | result | next |
 * | --- | --- |
 * | 2xx | delivered |
 * | 408, 429, 5xx; timeout, refused, DNS, TLS, reset | again |
 * | other 4xx, 1xx, 3xx; an address that is not allowed | given up |
 *
 * Cues repeat every failure, as their clients expect; messages only those that can heal.
 */
export type AttemptResult =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfter: string | null }
  | Pick<Failure, 'kind' | 'reason'>;

export type AttemptClass =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry' | 'terminal'; readonly error: AttemptError };

const BY_STATUS: Readonly<Record<number, AttemptClass>> = {
  401: { kind: 'terminal', error: 'auth_failed' },
  404: { kind: 'terminal', error: 'endpoint_missing' },
  405: { kind: 'terminal', error: 'method_not_allowed' },
  408: { kind: 'retry', error: 'request_timeout' },
  429: { kind: 'retry', error: 'rate_limited' },
  502: { kind: 'retry', error: 'bad_gateway' },
  503: { kind: 'retry', error: 'service_unavailable' },
};

export function classify(result: AttemptResult): AttemptClass {
  if (result.kind === 'failure') {
    return { kind: result.reason === 'ssrf_blocked' ? 'terminal' : 'retry', error: result.reason };
  }
  const { status } = result;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const known = BY_STATUS[status];
  if (known) return known;
  return status >= 500
    ? { kind: 'retry', error: 'server_error' }
    : { kind: 'terminal', error: 'client_error' };
}

export interface RetryPolicy {
  readonly maxAttempts: number;
  /** Wait after attempt 1, 2, …; the last one holds for all further ones. */
  readonly waits: readonly number[];
  readonly retriesEverything: boolean;
}

/** Once more after each wait. */
export const retriesAfter = (waits: readonly number[], retriesEverything: boolean): RetryPolicy => ({
  maxAttempts: waits.length + 1,
  waits,
  retriesEverything,
});

export const MESSAGE_RETRIES = retriesAfter(MESSAGE_RETRY_WAITS, false);

export const cueRetries = (retry: CueRetry): RetryPolicy => ({
  maxAttempts: retry.max_attempts,
  waits: retry.backoff_minutes.map((minutes) => minutes * 60_000),
  retriesEverything: true,
});

export type NextAttempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly at: number; readonly error: AttemptError }
  | { readonly kind: 'given_up'; readonly error: AttemptError };

/** `attempt` counts from 1; `jitter` is a number in [0, 1). */
export function nextAttempt(
  policy: RetryPolicy,
  attempt: number,
  result: AttemptResult,
  { now, jitter }: { now: number; jitter: number },
): NextAttempt {
  const verdict = classify(result);
  if (verdict.kind === 'delivered') return verdict;
  const repeats = verdict.kind === 'retry' || (policy.retriesEverything && verdict.error !== 'ssrf_blocked');
  if (!repeats || attempt >= policy.maxAttempts) return { kind: 'given_up', error: verdict.error };
  const own = policy.waits[Math.min(attempt, policy.waits.length) - 1] ?? 0;
  const asked =
    result.kind === 'answer' && HONOURED.has(result.status) ? retryAfterMs(result.retryAfter, now) : 0;
  const spread = Math.round(own * (1 + RETRY_JITTER * (2 * jitter - 1)));
  return { kind: 'again', at: now + Math.max(spread, asked), error: verdict.error };
}

const HONOURED: ReadonlySet<number> = new Set([429, 503]);

/** Seconds or an HTTP date; what is neither, or past, asks for nothing. */
export function retryAfterMs(header: string | null, now: number): number {
  const text = header?.trim() ?? '';
  if (text === '') return 0;
  const asked = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(asked, 0), MAX_RETRY_AFTER);
}
