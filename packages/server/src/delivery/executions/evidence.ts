import type { ExecutionRow, OutcomeRow } from '../records/execution-row.ts';
import { artifactsOf, objectOf } from './execution-answers.ts';
import type { EndReport, VerificationPolicy } from './outcome-states.ts';

const NO_PROOF: VerificationPolicy = { mode: 'none', requiredAssertions: [] };

/** Messages ask for no proof; what cues ask for is stored with each of their executions. */
export function policyOf({ verification }: Pick<ExecutionRow, 'verification'>): VerificationPolicy {
  // The column holds what we put there.
  return verification === null ? NO_PROOF : (JSON.parse(verification) as VerificationPolicy);
}

/** What a policy judges of an outcome. */
export const reportOf = (outcome: OutcomeRow): EndReport => ({
  success: outcome.success === 1,
  evidence: {
    externalId: outcome.external_id,
    resultUrl: outcome.result_url,
    artifacts: artifactsOf(outcome),
  },
  assertions: objectOf(outcome.assertions) ?? {},
});

export const hasEvidence = (outcome: OutcomeRow): boolean =>
  [
    outcome.external_id,
    outcome.result_url,
    outcome.result_ref,
    outcome.result_type,
    outcome.summary,
    outcome.artifacts,
  ].some((item) => item !== null);
