import type { Capsule } from '@parley/protocol/continuity/capsule';
import { EVIDENCE_REFS, HEALTH_REASONS } from '@parley/protocol/continuity/limits';
import { charsWithin } from '../../platform/chars.ts';
import type { Report } from '../../wire/memory/errors.ts';
import { checkInstant } from '../capsule/instant.ts';

/** What a candidate says of its own verification and health, where a caller may say it at all. */
export function checkVerification(capsule: Capsule, report: Report): void {
  const { verification_state: state, capsule_health: health } = capsule;
  if (state) {
    checkInstant(state.last_revalidated_at, 'verification_state.last_revalidated_at', report);
    for (const ref of state.evidence_refs) {
      if (!charsWithin(ref, EVIDENCE_REFS.chars)) {
        report('verification_state.evidence_refs', 'Value too long in verification_state.evidence_refs');
      }
    }
    if (state.status === 'conflicted' && !state.conflict_summary) {
      report(
        'verification_state.conflict_summary',
        'verification_state.conflict_summary is required when status=conflicted',
      );
    }
  }
  if (health) {
    for (const reason of health.reasons) {
      if (!charsWithin(reason, HEALTH_REASONS.chars)) {
        report('capsule_health.reasons', 'Value too long in capsule_health.reasons');
      }
    }
    if (health.status !== 'healthy' && health.reasons.length === 0) {
      report(
        'capsule_health.reasons',
        'capsule_health.reasons is required when status is degraded or conflicted',
      );
    }
    checkInstant(health.last_checked_at, 'capsule_health.last_checked_at', report);
  }
}
