import type { OutcomeState, VerificationMode } from '@parley/protocol/delivery/vocabulary';
import type { ExecutionRow, OutcomeRow } from '../records/execution-row.ts';
import { artifactsOf, objectOf } from './execution-answers.ts';

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
export type Evidence = Pick<OutcomeRow, 'external_id' | 'result_url' | 'artifacts'>;

/** What a policy judges of an outcome. */
export type EndReport = Evidence & Pick<OutcomeRow, 'success' | 'assertions'>;

export interface VerificationPolicy {
  readonly mode: VerificationMode;
  /** Keys that the report's `assertions` must hold. */
  readonly requiredAssertions: readonly string[];
}

const NO_PROOF: VerificationPolicy = { mode: 'none', requiredAssertions: [] };

/** Messages ask for no proof; what cues ask for is stored with each of their executions. */
export function policyOf({ verification }: Pick<ExecutionRow, 'verification'>): VerificationPolicy {
  // The column holds what we put there.
  return verification === null ? NO_PROOF : (JSON.parse(verification) as VerificationPolicy);
}

export interface Judgement {
  readonly state: OutcomeState;
  /** For the reporter: what is missing. */
  readonly reason: string | null;
}

export function judgeReport(report: EndReport, policy: VerificationPolicy): Judgement {
  if (report.success === 0) return { state: 'reported_failure', reason: null };
  const assertions = objectOf(report.assertions) ?? {};
  const missing = policy.requiredAssertions.filter((key) => !Object.hasOwn(assertions, key));
  if (missing.length > 0) {
    return { state: 'verification_failed', reason: `missing assertions: ${missing.join(', ')}` };
  }
  const { mode } = policy;
  if (mode === 'none') return { state: 'reported_success', reason: null };
  if (mode === 'manual') return { state: 'verification_pending', reason: null };
  return judgeEvidence(report, mode);
}

type EvidenceMode = Exclude<VerificationMode, 'none' | 'manual'>;

const WANTED: Readonly<Record<EvidenceMode, { name: string; has: (evidence: Evidence) => boolean }>> = {
  require_external_id: { name: 'external_id', has: ({ external_id: id }) => Boolean(id) },
  require_result_url: { name: 'result_url', has: ({ result_url: url }) => Boolean(url) },
  require_artifacts: { name: 'artifacts', has: (evidence) => (artifactsOf(evidence) ?? []).length > 0 },
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

export const hasEvidence = (outcome: OutcomeRow): boolean =>
  [
    outcome.external_id,
    outcome.result_url,
    outcome.result_ref,
    outcome.result_type,
    outcome.summary,
    outcome.artifacts,
  ].some((item) => item !== null);
