import { OUTCOME_STATES, type OutcomeState, VERIFICATION_MODES } from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import {
  afterMarkedPending,
  afterVerify,
  type Evidence,
  judgeAgain,
  judgeReport,
  type EndReport,
  type VerificationPolicy,
} from './outcome-states.ts';

const NOTHING: Evidence = { external_id: null, result_url: null, artifacts: null };
const EVIDENCE: Readonly<Record<string, Evidence>> = {
  nothing: NOTHING,
  'an external id': { ...NOTHING, external_id: 'PR-1' },
  'a result url': { ...NOTHING, result_url: 'https://example.com/1' },
  artifacts: { ...NOTHING, artifacts: '["a"]' },
  'an empty list of artifacts': { ...NOTHING, artifacts: '[]' },
  'an empty external id': { ...NOTHING, external_id: '' },
};
const GOOD: Readonly<Record<string, string>> = {
  require_external_id: 'an external id',
  require_result_url: 'a result url',
  require_artifacts: 'artifacts',
};

const report = (success: boolean, evidence: Evidence = NOTHING, assertions = {}): EndReport => ({
  ...evidence,
  success: success ? 1 : 0,
  assertions: JSON.stringify(assertions),
});
const policy = (mode: VerificationPolicy['mode'], ...requiredAssertions: string[]): VerificationPolicy => ({
  mode,
  requiredAssertions,
});

describe('outcome states › report', () => {
  for (const mode of VERIFICATION_MODES) {
    for (const [name, evidence] of Object.entries(EVIDENCE)) {
      test(`${mode} with ${name}`, () => {
        expect(judgeReport(report(false, evidence), policy(mode)).state).toBe('reported_failure');
        const expected =
          mode === 'none'
            ? 'reported_success'
            : mode === 'manual'
              ? 'verification_pending'
              : GOOD[mode] === name
                ? 'verified_success'
                : 'verification_failed';
        expect(judgeReport(report(true, evidence), policy(mode)).state).toBe(expected);
      });
    }

    test(`${mode} with a required assertion missing`, () => {
      const judged = judgeReport(report(true, NOTHING, { tests: true }), policy(mode, 'tests', 'docs'));
      expect(judged).toEqual({ state: 'verification_failed', reason: 'missing assertions: docs' });
      expect(judgeReport(report(false), policy(mode, 'tests')).state).toBe('reported_failure');
    });
  }

  test('an assertion counts when its key is there, whatever its value', () => {
    expect(judgeReport(report(true, NOTHING, { tests: false }), policy('none', 'tests')).state).toBe(
      'reported_success',
    );
    expect(judgeReport(report(true), policy('none', 'toString')).state).toBe('verification_failed');
  });

  test('says which evidence is missing', () => {
    expect(judgeReport(report(true), policy('require_result_url')).reason).toBe(
      'missing evidence: result_url',
    );
  });
});

describe('outcome states › evidence arrives', () => {
  const withId = report(true, { ...NOTHING, external_id: 'PR-1' });

  test('heals what lacked it', () => {
    expect(judgeAgain('verification_failed', withId, policy('require_external_id')).state).toBe(
      'verified_success',
    );
    expect(judgeAgain('verification_failed', report(true), policy('require_external_id')).state).toBe(
      'verification_failed',
    );
  });

  test('does not heal a missing assertion', () => {
    expect(judgeAgain('verification_failed', withId, policy('none', 'tests')).state).toBe(
      'verification_failed',
    );
  });

  test('what was rejected is what the policy says again', () => {
    expect(judgeAgain('verification_failed', withId, policy('none')).state).toBe('reported_success');
    expect(judgeAgain('verification_failed', withId, policy('manual')).state).toBe('verification_pending');
  });

  test.each<OutcomeState>([
    'verified_success',
    'reported_failure',
    'verification_pending',
    'live_unclaimed_expired',
  ])('leaves %s alone', (state) => {
    expect(judgeAgain(state, withId, policy('require_external_id')).state).toBe(state);
  });

  test('leaves a plain success one', () => {
    expect(judgeAgain('reported_success', withId, policy('none')).state).toBe('reported_success');
  });
});

describe('outcome states › verify', () => {
  const can: readonly OutcomeState[] = ['verification_pending', 'reported_success', 'reported_failure'];

  test.each([...OUTCOME_STATES, null])('from %s', (state) => {
    const possible = state !== null && can.includes(state);
    expect(afterVerify(state, true)).toBe(possible ? 'verified_success' : undefined);
    expect(afterVerify(state, false)).toBe(possible ? 'verification_failed' : undefined);
    if (state !== null) expect(afterMarkedPending(state)).toBe(possible ? 'verification_pending' : undefined);
  });
});
