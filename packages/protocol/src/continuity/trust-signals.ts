import type { FreshnessClass, HealthStatus, Phase, SourceState, VerificationStatus } from './vocabulary.ts';

/** What may be thought of a capsule: plain facts, no score. A null age is unknown, never zero. */
export interface TrustSignals {
  recency: {
    updated_age_seconds: number | null;
    verified_age_seconds: number | null;
    phase: Phase;
    freshness_class: FreshnessClass | null;
    stale_threshold_seconds: number | null;
  };
  completeness: {
    orientation_adequate: boolean;
    empty_orientation_fields: string[];
    trimmed: boolean;
    trimmed_fields: string[];
  };
  integrity: {
    source_state: Exclude<SourceState, 'missing'>;
    health_status: HealthStatus;
    health_reasons: string[];
    verification_status: VerificationStatus;
  };
  scope_match: { exact: boolean };
}
