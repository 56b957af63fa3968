import { describe, expect, test } from 'vitest';
import { type Loaded, packageCapsules, sortKeyOf } from './packaging.ts';
import { baseCapsule, stored, T } from '../testing/base-capsule.ts';
import { vectorA, vectorB } from '../testing/trim-vectors.ts';
import { tokensOf } from './tokens.ts';
import { aggregateTrust, compactTrust } from './trust-blocks.ts';
import { trustSignals } from '../read/trust-signals.ts';

const NOW = Date.parse('2026-03-20T13:00:00Z');
const loaded = (capsule: Loaded['capsule'], source: Loaded['source'] = 'active'): Loaded => ({
  kind: capsule.subject_kind,
  id: capsule.subject_id,
  capsule,
  source,
  key: sortKeyOf(capsule, NOW),
});
const pack = (items: readonly Loaded[], reserve: number, named = false) =>
  packageCapsules(items, { reserve, now: NOW, named });

describe('continuity › packaging', () => {
  test('with room for all, a capsule comes whole with everything that is known of it', () => {
    const { delivered, warnings, recoveryWarnings, tokensUsed } = pack([loaded(vectorA)], 12_000);
    expect(delivered[0]?.capsule).toEqual({
      ...vectorA,
      source_state: 'active',
      trust_signals: trustSignals(vectorA, 'active', NOW),
      salience: { rank: 0, sort_key: sortKeyOf(vectorA, NOW) },
    });
    expect([warnings, recoveryWarnings, tokensUsed]).toEqual([[], [], tokensOf(delivered[0]?.capsule)]);
  });

  test('a small capsule survives the smallest budget, with less said about it', () => {
    const small = stored(baseCapsule('user', 'small', T(20)));
    const { delivered, recoveryWarnings } = pack([loaded(small)], 256);
    expect(delivered).toHaveLength(1);
    expect(delivered[0]?.salience).toBeNull();
    expect(delivered[0]?.trust === null || 'compact' in (delivered[0]?.trust ?? {})).toBe(true);
    expect(recoveryWarnings).toContain('continuity_salience_omitted');
  });

  test('a capsule nobody can say anything about is delivered all the same', () => {
    const odd = { ...vectorA, freshness: { expires_at: 'when it rains' } };
    const { delivered, recoveryWarnings } = pack([loaded(odd)], 12_000);
    expect(delivered[0]?.capsule).toEqual({
      ...odd,
      source_state: 'active',
      trust_signals: null,
      salience: { rank: 0, sort_key: sortKeyOf(odd, NOW) },
    });
    expect(recoveryWarnings).toEqual(['trust_signals_build_failed']);
    expect(pack([loaded(odd)], 12_000, true).recoveryWarnings).toEqual([
      'trust_signals_build_failed:user:trim',
    ]);
  });

  test.each([256, 300, 500, 800, 1200, 2000, 12_000])('a rich capsule fits into %i tokens', (reserve) => {
    for (const capsule of [vectorA, vectorB]) {
      const { delivered, tokensUsed } = pack([loaded(capsule)], reserve);
      expect(delivered).toHaveLength(1);
      expect(tokensUsed).toBeLessThanOrEqual(reserve);
    }
  });

  test('never more than the reserve, however many share it', () => {
    for (let reserve = 256; reserve < 3000; reserve += 97) {
      const { tokensUsed, delivered, omitted } = pack(
        [vectorA, vectorB, vectorA].map((each) => loaded(each)),
        reserve,
      );
      expect(tokensUsed).toBeLessThanOrEqual(reserve);
      expect(delivered.length + omitted.length).toBe(3);
    }
  });

  test('what does not fit at all is left out by name', () => {
    const { delivered, omitted, warnings } = pack([loaded(vectorB), loaded(vectorA)], 60, true);
    expect(delivered).toEqual([]);
    expect(omitted.map(({ id }) => id)).toEqual(['long', 'trim']);
    expect(warnings).toEqual([
      'continuity_capsule_truncated_to_zero:thread:long',
      'continuity_capsule_truncated_to_zero:user:trim',
    ]);
    expect(pack([loaded(vectorA)], 20).warnings).toEqual(['continuity_truncated_to_zero']);
  });

  test('what was trimmed is told in the trust block', () => {
    const { delivered } = pack([loaded(vectorA)], 560);
    const trust = delivered[0]?.trust;
    expect(trust?.completeness.trimmed).toBe(true);
  });

  test('doubtful health is a warning', () => {
    const sick = {
      ...vectorA,
      capsule_health: { status: 'degraded' as const, reasons: ['r'], last_checked_at: T(1) },
    };
    expect(pack([loaded(sick)], 12_000, true).warnings).toEqual(['continuity_degraded:user:trim']);
  });
});

describe('continuity › trust signals › aggregate', () => {
  const selectors = { requested: 2, returned: 2, omitted: 0 };

  test('the worst of each, full and compact alike', () => {
    const fresh = trustSignals(vectorA, 'active', NOW);
    const old = trustSignals({ ...vectorB, verified_at: '2020-01-01T00:00:00Z' }, 'fallback', NOW);
    expect(aggregateTrust([fresh, compactTrust(old), null], selectors)).toEqual({
      recency: {
        worst_phase: 'expired_by_age',
        oldest_updated_age_seconds: 3600,
        oldest_verified_age_seconds: 3600,
      },
      completeness: { all_adequate: true, adequate_count: 2, total_count: 2, any_trimmed: false },
      integrity: { worst_health: 'healthy', any_fallback: true, any_degraded: false, any_conflicted: false },
      scope_match: {
        selectors_requested: 2,
        selectors_returned: 2,
        selectors_omitted: 0,
        all_returned: true,
      },
    });
  });

  test('nothing of nothing', () => {
    expect(aggregateTrust([], selectors)).toBeNull();
    expect(aggregateTrust([null], selectors)).toBeNull();
    const compact = compactTrust(trustSignals(vectorA, 'active', NOW));
    expect(aggregateTrust([compact], selectors)?.recency.oldest_updated_age_seconds).toBeNull();
  });
});
