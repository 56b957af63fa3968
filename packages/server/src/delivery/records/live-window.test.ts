import {
  EXECUTION_STATUSES,
  type ExecutionStatus,
  LIVE_FALLBACK_MODES,
} from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import type { TokenVerdict } from '../sessions/attestation.ts';
import {
  answerLiveClaim,
  expire,
  hasElapsed,
  lapse,
  mayClaim,
  type OfferState,
  windowEnd,
} from './live-window.ts';

const offered: OfferState = {
  status: 'pending',
  live: true,
  fellBack: false,
  fallback: 'background',
  claimedBy: null,
  attested: null,
  hasOutcome: false,
};
const good: TokenVerdict = { valid: true, label: 'main', kind: 'token' };
const bad: TokenVerdict = { valid: false, reason: 'token_mismatch' };
const others = EXECUTION_STATUSES.filter((status) => status !== 'pending');

describe('live window › time', () => {
  test('ends 30 seconds after the offer, at that very moment', () => {
    const deadlineAt = windowEnd(1000, 30_000, 'background');
    expect([29_900, 29_999, 30_000, 30_100].map((ms) => hasElapsed(deadlineAt, 1000 + ms))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('has no end of its own for live_only', () => {
    const deadlineAt = windowEnd(1000, 30_000, 'live_only');
    expect(deadlineAt).toBeNull();
    expect(hasElapsed(deadlineAt, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

describe('live window › lapse', () => {
  test.each(['claim_window_elapsed', 'session_detached'] as const)(
    'by %s follows the fallback mode',
    (cause) => {
      const by = Object.fromEntries(
        LIVE_FALLBACK_MODES.map((fallback) => [fallback, lapse({ ...offered, fallback }, cause)]),
      );
      expect(by).toEqual({
        background: { kind: 'falls_back', reason: cause },
        none: { kind: 'missed', outcome: 'live_unclaimed_no_fallback', reason: cause },
        live_only: { kind: 'stays' },
      });
    },
  );

  test.each<[string, Partial<OfferState>]>([
    ['a claim was first', { status: 'delivering', claimedBy: 'worker' }],
    [
      'a live-claim was first',
      { status: 'delivering', claimedBy: 'live:main', attested: { at: 1, tokenHash: 'a' } },
    ],
    ['it fell back already', { live: false }],
    ...others.map((status): [string, Partial<OfferState>] => [`it is ${status}`, { status }]),
  ])('comes too late when %s', (_, change) => {
    expect(lapse({ ...offered, ...change }, 'claim_window_elapsed')).toEqual({ kind: 'too_late' });
    expect(expire({ ...offered, fallback: 'live_only', ...change })).toEqual({ kind: 'too_late' });
  });

  test('a held offer is missed when its message expires; others lapse long before', () => {
    expect(expire({ ...offered, fallback: 'live_only' })).toMatchObject({
      kind: 'missed',
      outcome: 'live_unclaimed_expired',
    });
    expect(expire(offered)).toEqual({ kind: 'too_late' });
    expect(expire({ ...offered, fallback: 'none' })).toEqual({ kind: 'too_late' });
  });
});

describe('live window › plain claim', () => {
  test('takes what waits, and nothing else', () => {
    const claimable = EXECUTION_STATUSES.filter((status) => mayClaim({ ...offered, status }));
    expect(claimable).toEqual(['pending', 'retry_ready']);
    expect(mayClaim({ ...offered, live: false })).toBe(true);
  });
});

describe('live window › live-claim', () => {
  test('takes and attests an open offer', () => {
    expect(answerLiveClaim(offered, 'a', good)).toEqual({ kind: 'attest', takes: true });
  });

  test('attests what a worker claimed without attestation', () => {
    const claimed: OfferState = { ...offered, status: 'delivering', claimedBy: 'worker' };
    expect(answerLiveClaim(claimed, 'a', good)).toEqual({ kind: 'attest', takes: false });
  });

  test('still wins after the lapse while the background push is unclaimed', () => {
    expect(answerLiveClaim({ ...offered, live: false }, 'a', good)).toEqual({ kind: 'attest', takes: true });
  });

  test('is closed once it fell back and a background handler holds it, or somebody is being called', () => {
    const held: OfferState = { ...offered, live: false, status: 'delivering', claimedBy: 'bg-1' };
    const closed = { kind: 'refused', code: 'live_claim_window_closed' };
    expect(answerLiveClaim({ ...held, fellBack: true }, 'a', good)).toEqual(closed);
    expect(answerLiveClaim({ ...held, claimedBy: null }, 'a', good)).toEqual(closed);
  });

  test('attests what a background handler holds that was asked first', () => {
    const held: OfferState = { ...offered, live: false, status: 'delivering', claimedBy: 'bg-1' };
    expect(answerLiveClaim(held, 'a', good)).toEqual({ kind: 'attest', takes: false });
  });

  test.each<ExecutionStatus>(['missed', 'failed', 'outcome_timeout'])('is closed when it is %s', (status) => {
    expect(answerLiveClaim({ ...offered, status }, 'a', good)).toEqual({
      kind: 'refused',
      code: 'live_claim_window_closed',
    });
  });

  test('is closed when an outcome is recorded', () => {
    expect(answerLiveClaim({ ...offered, status: 'success', hasOutcome: true }, 'a', good)).toEqual({
      kind: 'refused',
      code: 'live_claim_window_closed',
    });
  });

  test('an invalid token is no claim and no error', () => {
    expect(answerLiveClaim(offered, 'a', bad)).toEqual({ kind: 'not_attested', reason: 'token_mismatch' });
  });

  test('is write-once: the same token repeats the answer, another is refused', () => {
    const attested: OfferState = {
      ...offered,
      status: 'delivering',
      claimedBy: 'live:main',
      attested: { at: 5, tokenHash: 'a' },
    };
    expect(answerLiveClaim(attested, 'a', good)).toEqual({ kind: 'repeat', at: 5 });
    expect(answerLiveClaim(attested, 'b', good)).toEqual({ kind: 'refused', code: 'already_attested' });
  });

  test('checks write-once before the token, and the token before the state', () => {
    const done: OfferState = {
      ...offered,
      status: 'success',
      hasOutcome: true,
      attested: { at: 5, tokenHash: 'a' },
    };
    expect(answerLiveClaim(done, 'a', bad)).toEqual({ kind: 'repeat', at: 5 });
    expect(answerLiveClaim({ ...offered, status: 'missed' }, 'a', bad)).toMatchObject({
      kind: 'not_attested',
    });
  });
});
