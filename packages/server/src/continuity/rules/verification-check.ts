import type { Capsule } from '@parley/protocol/continuity/capsule';
import { EVIDENCE_REFS, HEALTH_REASONS } from '@parley/protocol/continuity/limits';
import type { Report } from '../../wire/memory/errors.ts';
import { checkInstant } from '../capsule/instant.ts';
import { checkTexts } from './texts-check.ts';

/** What a candidate says of its own verification and health, where a caller may say it at all. */
export function checkVerification(capsule: Capsule, report: Report): void {
  const { verification_state: state, capsule_health: health } = capsule;
  if (state) {
    checkInstant(state.last_revalidated_at, 'verification_state.last_revalidated_at', report);
    checkTexts(state.evidence_refs, 'verification_state.evidence_refs', EVIDENCE_REFS, report);
    if (state.status === 'conflicted' && !state.conflict_summary) {
      report(
        'verification_state.conflict_summary',
        'verification_state.conflict_summary is required when status=conflicted',
      );
    }
  }
  if (health) {
    checkTexts(health.reasons, 'capsule_health.reasons', HEALTH_REASONS, report);
    if (health.status !== 'healthy' && health.reasons.length === 0) {
      report(
        'capsule_health.reasons',
        'capsule_health.reasons is required when status is degraded or conflicted',
      );
    }
    checkInstant(health.last_checked_at, 'capsule_health.last_checked_at', report);
  }
}
