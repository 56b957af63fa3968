import type { TrustSignals } from '@parley/protocol/continuity/trust-signals';
import { HEALTH_STATUSES, PHASES } from '@parley/protocol/continuity/vocabulary';

export type CompactTrustSignals = ReturnType<typeof compactTrust>;

export function compactTrust({ recency, completeness, integrity, scope_match }: TrustSignals) {
  return {
    compact: true as const,
    recency: { phase: recency.phase },
    completeness: {
      orientation_adequate: completeness.orientation_adequate,
      trimmed: completeness.trimmed,
    },
    integrity: { source_state: integrity.source_state, health_status: integrity.health_status },
    scope_match: { exact: scope_match.exact },
  };
}

/** All blocks of one answer, full and compact ones alike; null when there is none. */
export function aggregateTrust(
  blocks: readonly (TrustSignals | CompactTrustSignals | null)[],
  selectors: { requested: number; returned: number; omitted: number },
) {
  const known = blocks.filter((block) => block !== null);
  if (known.length === 0) return null;
  const adequate = known.filter((block) => block.completeness.orientation_adequate).length;
  const phases = known.map((block) => block.recency.phase);
  const healths = known.map((block) => block.integrity.health_status);
  return {
    recency: {
      worst_phase: worst(PHASES, phases),
      oldest_updated_age_seconds: oldest(known, 'updated_age_seconds'),
      oldest_verified_age_seconds: oldest(known, 'verified_age_seconds'),
    },
    completeness: {
      all_adequate: adequate === known.length,
      adequate_count: adequate,
      total_count: known.length,
      any_trimmed: known.some((block) => block.completeness.trimmed),
    },
    integrity: {
      worst_health: worst(HEALTH_STATUSES, healths),
      any_fallback: known.some((block) => block.integrity.source_state === 'fallback'),
      any_degraded: healths.includes('degraded'),
      any_conflicted: healths.includes('conflicted'),
    },
    scope_match: {
      selectors_requested: selectors.requested,
      selectors_returned: selectors.returned,
      selectors_omitted: selectors.omitted,
      all_returned: selectors.returned > 0 && selectors.requested === selectors.returned,
    },
  };
}

/** A word that is not on the scale counts as the worst. */
function worst<Word>(scale: readonly Word[], words: readonly Word[]): Word {
  const rank = (word: Word): number => (scale.includes(word) ? scale.indexOf(word) : scale.length);
  return words.reduce((a, b) => (rank(b) > rank(a) ? b : a));
}

function oldest(
  blocks: readonly (TrustSignals | CompactTrustSignals)[],
  key: 'updated_age_seconds' | 'verified_age_seconds',
): number | null {
  const ages = blocks.map((block) => ('compact' in block ? null : block.recency[key]));
  const known = ages.filter((age) => age !== null);
  return known.length === 0 ? null : Math.max(...known);
}
