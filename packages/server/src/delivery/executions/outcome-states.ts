import type { OutcomeState, VerificationMode } from '@parley/protocol/delivery/vocabulary';

/**
 * What is known about an outcome.
 *
 * | state | set when | leaves to |
 * | --- | --- | --- |
 * | null | nothing reported | any below |
 * | `verification_pending` | success in mode manual, or marked so | verified_success, verification_failed |
 * | `reported_success` | success, nothing to check | verified_success, verification_failed, verification_pending |
 * | `reported_failure` | failure, in any mode | verified_success, verification_failed, verification_pending |
 * | `verified_success` | the evidence asked for is there, or somebody verified it | – |
 * | `verification_failed` | evidence or an assertion is missing, or somebody rejected it | what the policy says once evidence arrives |
 * | `unknown` | the outcome deadline passed | as null, when a report comes after all |
 * | `live_unclaimed_*` | no live session took it | – |
 */
export interface Evidence {
  readonly externalId: string | null;
  readonly resultUrl: string | null;
  readonly artifacts: readonly unknown[] | null;
}

export interface VerificationPolicy {
  readonly mode: VerificationMode;
  /** Keys that the report's `assertions` must hold. */
  readonly requiredAssertions: readonly string[];
}

export interface EndReport {
  readonly success: boolean;
  readonly evidence: Evidence;
  readonly assertions: Readonly<Record<string, unknown>>;
}

export interface Judgement {
  readonly state: OutcomeState;
  /** For the reporter: what is missing. */
  readonly reason: string | null;
}

export function judgeReport(report: EndReport, policy: VerificationPolicy): Judgement {
  if (!report.success) return { state: 'reported_failure', reason: null };
  const missing = policy.requiredAssertions.filter((key) => !Object.hasOwn(report.assertions, key));
  if (missing.length > 0) {
    return { state: 'verification_failed', reason: `missing assertions: ${missing.join(', ')}` };
  }
  const { mode } = policy;
  if (mode === 'none') return { state: 'reported_success', reason: null };
  if (mode === 'manual') return { state: 'verification_pending', reason: null };
  return judgeEvidence(report.evidence, mode);
}

type EvidenceMode = Exclude<VerificationMode, 'none' | 'manual'>;

const WANTED: Readonly<Record<EvidenceMode, { name: string; has: (evidence: Evidence) => boolean }>> = {
  require_external_id: { name: 'external_id', has: ({ externalId }) => Boolean(externalId) },
  require_result_url: { name: 'result_url', has: ({ resultUrl }) => Boolean(resultUrl) },
  require_artifacts: { name: 'artifacts', has: ({ artifacts }) => (artifacts ?? []).length > 0 },
};

function judgeEvidence(evidence: Evidence, mode: EvidenceMode): Judgement {
  const { name, has } = WANTED[mode];
  if (has(evidence)) return { state: 'verified_success', reason: null };
  return { state: 'verification_failed', reason: `missing evidence: ${name}` };
}

/** After evidence was added. A verified outcome stays so, and what waits for a person waits on. */
export function judgeAgain(current: OutcomeState, report: EndReport, policy: VerificationPolicy): Judgement {
  if (current !== 'verification_failed' && current !== 'reported_success')
    return { state: current, reason: null };
  return judgeReport(report, policy);
}

const VERIFIABLE: ReadonlySet<OutcomeState> = new Set([
  'reported_success',
  'reported_failure',
  'verification_pending',
]);

/** Undefined when the outcome is in no state that can be verified. */
export function afterVerify(current: OutcomeState | null, valid: boolean): OutcomeState | undefined {
  if (current === null || !VERIFIABLE.has(current)) return undefined;
  return valid ? 'verified_success' : 'verification_failed';
}

/** Undefined when it cannot be marked as waiting for verification. */
export function afterMarkedPending(current: OutcomeState): OutcomeState | undefined {
  return VERIFIABLE.has(current) ? 'verification_pending' : undefined;
}
