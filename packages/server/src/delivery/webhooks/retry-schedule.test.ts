import { describe, expect, test } from 'vitest';
import type { FailureReason } from '../../platform/outbound/failures.ts';
import {
  type AttemptResult,
  classify,
  cueRetries,
  MESSAGE_RETRIES,
  nextAttempt,
  retryAfterMs,
} from './retry-schedule.ts';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const answer = (status: number, retryAfter: string | null = null): AttemptResult => ({
  kind: 'answer',
  status,
  retryAfter,
});
const calm = { now: NOW, jitter: 0.5 };

describe('attempts › class', () => {
  test.each<[number, string, string?]>([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [100, 'terminal', 'client_error'],
    [301, 'terminal', 'client_error'],
    [400, 'terminal', 'client_error'],
    [401, 'terminal', 'auth_failed'],
    [403, 'terminal', 'client_error'],
    [404, 'terminal', 'endpoint_missing'],
    [405, 'terminal', 'method_not_allowed'],
    [408, 'retry', 'request_timeout'],
    [410, 'terminal', 'client_error'],
    [429, 'retry', 'rate_limited'],
    [500, 'retry', 'server_error'],
    [502, 'retry', 'bad_gateway'],
    [503, 'retry', 'service_unavailable'],
    [504, 'retry', 'server_error'],
  ])('%i → %s %s', (status, kind, error) => {
    expect(classify(answer(status))).toEqual(error === undefined ? { kind } : { kind, error });
  });

  test.each<[FailureReason, string]>([
    ['timeout', 'retry'],
    ['connection_refused', 'retry'],
    ['dns_resolution_failed', 'retry'],
    ['tls_handshake_failed', 'retry'],
    ['network', 'retry'],
    ['ssrf_blocked', 'terminal'],
  ])('%s → %s', (reason, kind) => {
    expect(classify({ kind: 'failure', reason })).toEqual({ kind, error: reason });
  });
});

const waitWithJitter = (jitter: number) => nextAttempt(MESSAGE_RETRIES, 1, answer(500), { now: 0, jitter });

const wait = (status: number, header: string) =>
  nextAttempt(MESSAGE_RETRIES, 1, answer(status, header), calm);

describe('attempts › schedule of a message', () => {
  test('four attempts, after 1, 5 and 15 minutes', () => {
    const waits = [1, 2, 3, 4].map((attempt) => nextAttempt(MESSAGE_RETRIES, attempt, answer(500), calm));
    expect(waits).toEqual([
      { kind: 'again', at: NOW + MINUTE, error: 'server_error' },
      { kind: 'again', at: NOW + 5 * MINUTE, error: 'server_error' },
      { kind: 'again', at: NOW + 15 * MINUTE, error: 'server_error' },
      { kind: 'given_up', error: 'server_error' },
    ]);
  });

  test('a refusal that cannot heal is given up at once', () => {
    expect(nextAttempt(MESSAGE_RETRIES, 1, answer(404), calm)).toEqual({
      kind: 'given_up',
      error: 'endpoint_missing',
    });
  });

  test('waits are moved by up to a tenth either way', () => {
    expect([0, 0.5, 1].map(waitWithJitter)).toMatchObject([{ at: 54_000 }, { at: 60_000 }, { at: 66_000 }]);
  });

  test('Retry-After makes the wait longer, never shorter, and counts for 429 and 503 only', () => {
    expect(wait(429, '600')).toMatchObject({ at: NOW + 600_000 });
    expect(wait(503, '1')).toMatchObject({ at: NOW + MINUTE });
    expect(wait(500, '600')).toMatchObject({ at: NOW + MINUTE });
  });
});

describe('attempts › schedule of a cue', () => {
  const policy = cueRetries({ max_attempts: 5, backoff_minutes: [1, 5] });

  test('the last wait holds for the rest', () => {
    const at = [1, 2, 3, 4].map((attempt) => nextAttempt(policy, attempt, answer(500), calm));
    expect(at).toMatchObject([1, 5, 5, 5].map((minutes) => ({ at: NOW + minutes * MINUTE })));
    expect(nextAttempt(policy, 5, answer(500), calm)).toMatchObject({ kind: 'given_up' });
  });

  test('every refusal is repeated, but not an address that is not allowed', () => {
    expect(nextAttempt(policy, 1, answer(404), calm)).toMatchObject({ kind: 'again' });
    const blocked: AttemptResult = { kind: 'failure', reason: 'ssrf_blocked' };
    expect(nextAttempt(policy, 1, blocked, calm)).toMatchObject({ kind: 'given_up' });
  });
});

describe('attempts › Retry-After', () => {
  test.each<[string | null, number]>([
    [null, 0],
    ['', 0],
    ['0', 0],
    ['30', 30_000],
    ['99999999', 24 * 60 * MINUTE],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 2 * MINUTE],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['Fri, 01 Jan 2027 00:00:00 GMT', 24 * 60 * MINUTE],
    ['soon', 0],
    ['-5', 0],
  ])('%j asks for %i ms', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected);
  });
});
