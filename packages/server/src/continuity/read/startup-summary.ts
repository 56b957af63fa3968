import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { SourceState } from '@parley/protocol/continuity/vocabulary';
import type { TrustSignals } from '@parley/protocol/continuity/trust-signals';
import { isThreadOrTask } from '../capsule/subject.ts';

/** What an agent needs first after a reset, picked out of the capsule; the order of keys is part of the contract. */
export function startupSummary(
  capsule: Capsule | null,
  source: SourceState,
  recoveryWarnings: readonly string[],
  trust: TrustSignals | null,
): object {
  const continuity = capsule?.continuity;
  return {
    recovery: {
      source_state: source,
      recovery_warnings: capsule
        ? [...recoveryWarnings, ...missingDescriptor(capsule)]
        : [...recoveryWarnings],
      capsule_health_status: capsule?.capsule_health?.status ?? null,
      capsule_health_reasons: capsule?.capsule_health?.reasons ?? [],
    },
    orientation: continuity
      ? {
          top_priorities: continuity.top_priorities,
          active_constraints: continuity.active_constraints,
          open_loops: continuity.open_loops,
          negative_decisions: continuity.negative_decisions,
          rationale_entries: continuity.rationale_entries.filter((entry) => entry.status === 'active'),
        }
      : null,
    context: continuity
      ? {
          session_trajectory: continuity.session_trajectory,
          stance_summary: continuity.stance_summary,
          active_concerns: continuity.active_concerns,
        }
      : null,
    updated_at: capsule?.updated_at ?? null,
    trust_signals: trust,
    stable_preferences: capsule?.stable_preferences ?? null,
  };
}

function missingDescriptor({
  subject_kind: kind,
  subject_id: id,
  thread_descriptor: descriptor,
}: Capsule): string[] {
  if (descriptor || !isThreadOrTask(kind)) return [];
  return [`continuity_thread_descriptor_missing:thread:${id}`];
}
