import type { ExecutionRow, OutcomeRow } from '../records/execution-row.ts';
import type { VerificationPolicy } from '../records/outcome-states.ts';

const NO_PROOF: VerificationPolicy = { mode: 'none', requiredAssertions: [] };

/** Messages ask for no proof; what cues ask for is stored with each of their executions. */
export function policyOf({ verification }: Pick<ExecutionRow, 'verification'>): VerificationPolicy {
  // The column holds what we put there.
  return verification === null ? NO_PROOF : (JSON.parse(verification) as VerificationPolicy);
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
