import type { Capsule } from '@parley/protocol/continuity/capsule';
import { EVIDENCE_REFS } from '@parley/protocol/continuity/limits';
import type { VerificationSignal } from '@parley/protocol/continuity/requests';
import type { Outcome } from '@parley/protocol/continuity/vocabulary';
import { changedFields, statusBy, strongestSignal } from '../read/compare.ts';
import { carriedOn } from '../capsule/lifecycle.ts';
import { normalise } from '../capsule/normalise.ts';
import { stamp } from '../capsule/stamp.ts';

export interface Revalidation {
  readonly outcome: Outcome;
  readonly capsule: Capsule;
  readonly normalizations: readonly string[];
}

/** The capsule after someone looked at it again. A correction that changes nothing is a confirmation. */
export function revalidated(
  stored: Capsule,
  request: {
    readonly outcome: Outcome;
    readonly candidate: Capsule | undefined;
    readonly signals: readonly VerificationSignal[];
    readonly reason: string | undefined;
  },
  now: string,
): Revalidation {
  const { candidate, reason = '' } = request;
  const corrected =
    candidate && changedFields(stored, candidate).length > 0 ? correction(stored, candidate) : undefined;
  const outcome = request.outcome === 'correct' && !corrected ? 'confirm' : request.outcome;
  const content = corrected?.capsule ?? stored;
  const strongest = strongestSignal(request.signals);
  const health = HEALTH[outcome];
  const capsule: Capsule = {
    ...content,
    verified_at: now,
    verification_kind: strongest,
    verification_state: {
      status: outcome === 'conflict' ? 'conflicted' : statusBy(strongest),
      last_revalidated_at: now,
      strongest_signal: strongest,
      evidence_refs: request.signals.slice(0, EVIDENCE_REFS.items).map((signal) => signal.source_ref),
      ...(outcome === 'conflict' && { conflict_summary: reason }),
    },
    capsule_health: {
      status: health,
      reasons: health === 'healthy' ? [] : [reason],
      last_checked_at: now,
    },
  };
  return { outcome, capsule, normalizations: corrected?.applied ?? [] };
}

const HEALTH = {
  confirm: 'healthy',
  correct: 'healthy',
  degrade: 'degraded',
  conflict: 'conflicted',
} as const;

/** The candidate's content under the dates and the lifecycle that are ours. */
function correction(stored: Capsule, candidate: Capsule): { capsule: Capsule; applied: string[] } {
  const { capsule, applied } = normalise(structuredClone(candidate));
  const stamped = stamp(capsule, stored, candidate.updated_at);
  const { thread_descriptor: descriptor } = stamped;
  if (!descriptor) return { capsule: stamped, applied };
  const carried = carriedOn(descriptor, stored.thread_descriptor);
  return { capsule: { ...stamped, thread_descriptor: carried }, applied };
}
