import type { Capsule } from '@parley/protocol/continuity/capsule';
import { changedFields } from '../read/compare.ts';

/** What a write would have done. */
export function rehearsalOf(
  path: string,
  plan: {
    readonly capsule: Capsule;
    readonly before: Capsule | undefined;
    readonly changes: boolean;
    readonly sha256: string;
    readonly normalizations: readonly string[];
    readonly recoveryWarnings: readonly string[];
  },
): object {
  return {
    ok: true,
    path,
    dry_run: true,
    would_change: plan.changes,
    changed_fields: changedFields(plan.before, plan.capsule),
    capsule_sha256: plan.sha256,
    normalizations_applied: plan.normalizations,
    warnings: [],
    recovery_warnings: plan.recoveryWarnings,
  };
}
