import type { Capsule } from '@parley/protocol/continuity/capsule';
import { type FreshnessClass, type Phase, PHASES } from '@parley/protocol/continuity/vocabulary';
import type { Ageing } from '../artifacts/artifact-table.ts';
import { type Instant, instantOrUndefined } from '../capsule/instant.ts';

const DAY = 86_400;
const THRESHOLDS: Readonly<Record<FreshnessClass, number | null>> = {
  persistent: null,
  durable: 180 * DAY,
  situational: 30 * DAY,
  ephemeral: 3 * DAY,
};

export const AGELESS: Ageing = { verified_ms: null, stale_seconds: null, expires_ms: null };

function staleThreshold(freshness: Capsule['freshness']): number | null {
  return freshness?.stale_after_seconds ?? THRESHOLDS[freshness?.freshness_class ?? 'situational'];
}

export function ageingOf(capsule: Pick<Capsule, 'verified_at' | 'freshness'>): Ageing {
  const expires = capsule.freshness?.expires_at;
  return {
    verified_ms: floorOf(instantOrUndefined(capsule.verified_at)),
    stale_seconds: staleThreshold(capsule.freshness),
    expires_ms: expires ? floorOf(instantOrUndefined(expires)) : null,
  };
}

const floorOf = (instant: Instant | undefined): number | null => instant?.floorMs ?? null;

/** Never verified at a known time: dated to the beginning, or not dated at all. */
export const neverVerified = ({ verified_ms: verifiedMs }: Ageing): boolean =>
  verifiedMs === null || verifiedMs === 0;

/** How old, in milliseconds for each second of the threshold, a capsule may be in a phase. */
export const AGE_LIMITS: readonly (readonly [Phase, number])[] = [
  ['fresh', 1000],
  ['stale_soft', 1500],
  ['stale_hard', 2000],
];

/** How fresh a capsule is. `phaseRankSql` tells the database the same. */
export function phaseAt(ageing: Ageing, now: number): Phase {
  const { verified_ms: verifiedMs, stale_seconds: staleSeconds, expires_ms: expiresMs } = ageing;
  if (expiresMs !== null && now > expiresMs) return 'expired';
  if (verifiedMs === null || neverVerified(ageing)) return 'expired';
  if (staleSeconds === null) return 'fresh';
  const age = now - verifiedMs;
  return AGE_LIMITS.find(([, limit]) => age <= staleSeconds * limit)?.[0] ?? 'expired_by_age';
}

export const phaseRank = (phase: Phase): number => PHASES.indexOf(phase);

/** Whole seconds since then, never below zero. */
export function ageSeconds(instant: Instant | undefined, now: number): number | null {
  return instant ? Math.max(0, Math.floor((now - instant.ceilMs) / 1000)) : null;
}
