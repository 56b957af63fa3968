import type { ExecutionRow, OutcomeRow } from '../records/execution-row.ts';
import type { VerificationPolicy } from '../records/outcome-states.ts';

/** Messages ask for no proof; what cues ask for is stored with each of their executions. */
export function policyOf(_execution: ExecutionRow): VerificationPolicy {
  return { mode: 'none', requiredAssertions: [] };
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
