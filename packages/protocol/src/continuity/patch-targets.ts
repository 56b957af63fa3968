import {
  IDENTITY_ANCHORS,
  KEYWORDS,
  NEGATIVE_DECISIONS,
  RATIONALE_ENTRIES,
  SCOPE_ANCHORS,
  STABLE_PREFERENCES,
  STATE_LISTS,
} from './limits.ts';

/** The lists a patch may change. */
export const PATCH_TARGETS = [
  'continuity.open_loops',
  'continuity.top_priorities',
  'continuity.active_constraints',
  'continuity.active_concerns',
  'continuity.drift_signals',
  'continuity.working_hypotheses',
  'continuity.long_horizon_commitments',
  'continuity.session_trajectory',
  'continuity.trailing_notes',
  'continuity.curiosity_queue',
  'continuity.negative_decisions',
  'continuity.rationale_entries',
  'stable_preferences',
  'thread_descriptor.keywords',
  'thread_descriptor.scope_anchors',
  'thread_descriptor.identity_anchors',
] as const;
export type PatchTarget = (typeof PATCH_TARGETS)[number];

export const STRUCTURED_TARGETS = [
  'continuity.negative_decisions',
  'continuity.rationale_entries',
  'stable_preferences',
  'thread_descriptor.identity_anchors',
] as const satisfies readonly PatchTarget[];
export type StructuredTarget = (typeof STRUCTURED_TARGETS)[number];

const structured: ReadonlySet<PatchTarget> = new Set(STRUCTURED_TARGETS);
export const isStructured = (target: PatchTarget): target is StructuredTarget => structured.has(target);

/** Items each list may hold. */
export const PATCH_TARGET_ITEMS: Readonly<Record<PatchTarget, number>> = {
  'continuity.open_loops': STATE_LISTS.open_loops.items,
  'continuity.top_priorities': STATE_LISTS.top_priorities.items,
  'continuity.active_constraints': STATE_LISTS.active_constraints.items,
  'continuity.active_concerns': STATE_LISTS.active_concerns.items,
  'continuity.drift_signals': STATE_LISTS.drift_signals.items,
  'continuity.working_hypotheses': STATE_LISTS.working_hypotheses.items,
  'continuity.long_horizon_commitments': STATE_LISTS.long_horizon_commitments.items,
  'continuity.session_trajectory': STATE_LISTS.session_trajectory.items,
  'continuity.trailing_notes': STATE_LISTS.trailing_notes.items,
  'continuity.curiosity_queue': STATE_LISTS.curiosity_queue.items,
  'continuity.negative_decisions': NEGATIVE_DECISIONS.items,
  'continuity.rationale_entries': RATIONALE_ENTRIES.items,
  stable_preferences: STABLE_PREFERENCES.items,
  'thread_descriptor.keywords': KEYWORDS.items,
  'thread_descriptor.scope_anchors': SCOPE_ANCHORS.items,
  'thread_descriptor.identity_anchors': IDENTITY_ANCHORS.items,
};
