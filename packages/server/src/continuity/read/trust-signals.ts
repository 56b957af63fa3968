import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { TrustSignals } from '@parley/protocol/continuity/trust-signals';
import { ageSeconds, ageingOf, neverVerified, phaseAt } from './freshness.ts';
import { instantOrUndefined } from '../capsule/instant.ts';
import { emptyOrientationFields, resumeAdequate } from '../capsule/orientation.ts';

/** Plain facts about a capsule: no score, no weight, no guess. Throws where a fact would be one. */
export function trustSignals(capsule: Capsule, source: 'active' | 'fallback', now: number): TrustSignals {
  const ageing = ageingOf(capsule);
  const { freshness, capsule_health: health } = capsule;
  // A document that was taken over as it was: nobody can say whether it is over.
  if (freshness?.expires_at && ageing.expires_ms === null) {
    throw new TypeError('freshness.expires_at is not a time');
  }
  return {
    recency: {
      updated_age_seconds: ageSeconds(instantOrUndefined(capsule.updated_at), now),
      verified_age_seconds: neverVerified(ageing)
        ? null
        : ageSeconds(instantOrUndefined(capsule.verified_at), now),
      phase: phaseAt(ageing, now),
      freshness_class: freshness?.freshness_class ?? null,
      stale_threshold_seconds: ageing.stale_seconds,
    },
    completeness: {
      orientation_adequate: resumeAdequate(capsule),
      empty_orientation_fields: emptyOrientationFields(capsule),
      trimmed: false,
      trimmed_fields: [],
    },
    integrity: {
      source_state: source,
      health_status: health?.status ?? 'healthy',
      health_reasons: health?.reasons ?? [],
      verification_status: capsule.verification_state?.status ?? 'unverified',
    },
    scope_match: { exact: source === 'active' },
  };
}
