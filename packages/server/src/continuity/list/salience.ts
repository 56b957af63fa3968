import type { Capsule } from '@parley/protocol/continuity/capsule';
import {
  HEALTH_STATUSES,
  type HealthStatus,
  type Lifecycle,
  LIFECYCLES,
  type SubjectKind,
} from '@parley/protocol/continuity/vocabulary';
import { compareChars } from '../../platform/chars.ts';
import { strengthOf } from '../read/compare.ts';

/** Which capsule matters more, from what is known without reading it: compared field by field, in this order. */
export interface SortKey {
  lifecycle_rank: number;
  health_rank: number;
  freshness_rank: number;
  resume_adequate: boolean;
  verification_rank: number;
  updated_age_seconds: number;
}

interface Ranked {
  readonly kind: SubjectKind;
  readonly id: string;
  readonly key: SortKey;
}

export const NO_LIFECYCLE = 99;
export const UNKNOWN_AGE = 2_147_483_647;

export const lifecycleRank = (lifecycle: Lifecycle | undefined): number =>
  lifecycle === undefined ? NO_LIFECYCLE : LIFECYCLES.indexOf(lifecycle);
export const healthRank = (health: HealthStatus): number => HEALTH_STATUSES.indexOf(health);

export function verificationRank(capsule: Capsule): number {
  const kind = capsule.verification_state?.strongest_signal ?? capsule.verification_kind;
  return kind === undefined ? 0 : strengthOf(kind);
}

/** Total: no two subjects are equal. */
export function compareSalience(a: Ranked, b: Ranked): number {
  return (
    a.key.lifecycle_rank - b.key.lifecycle_rank ||
    a.key.health_rank - b.key.health_rank ||
    a.key.freshness_rank - b.key.freshness_rank ||
    Number(b.key.resume_adequate) - Number(a.key.resume_adequate) ||
    b.key.verification_rank - a.key.verification_rank ||
    a.key.updated_age_seconds - b.key.updated_age_seconds ||
    compareChars(a.kind, b.kind) ||
    compareChars(a.id, b.id)
  );
}

export function salienceMetadata(keys: readonly SortKey[]) {
  if (keys.length === 0) return null;
  return {
    sort_applied: true,
    capsule_count: keys.length,
    best_lifecycle_rank: Math.min(...keys.map((key) => key.lifecycle_rank)),
    worst_health_rank: Math.max(...keys.map((key) => key.health_rank)),
    worst_freshness_rank: Math.max(...keys.map((key) => key.freshness_rank)),
    all_resume_adequate: keys.every((key) => key.resume_adequate),
  };
}
