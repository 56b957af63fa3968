import type { ContinuityState, ThreadDescriptor } from './capsule.ts';

/** Where a runtime calls the memory: when a session begins, around each prompt, and before its context is lost. */
export const HOOK_IDS = ['startup', 'pre_prompt', 'post_prompt', 'pre_compaction_or_handoff'] as const;
export type HookId = (typeof HOOK_IDS)[number];

/** What is worth a write when it differs from what is stored, in the order in which it is compared. */
export const WRITE_ELIGIBLE = [
  'top_priorities',
  'open_loops',
  'active_constraints',
  'active_concerns',
  'drift_signals',
  'stance_summary',
  'negative_decisions',
  'session_trajectory',
  'rationale_entries',
  'stable_preferences',
  'thread_descriptor.lifecycle',
  'thread_descriptor.superseded_by',
] as const satisfies readonly (
  | keyof ContinuityState
  | 'stable_preferences'
  | `thread_descriptor.${keyof ThreadDescriptor}`
)[];
export type WriteEligible = (typeof WRITE_ELIGIBLE)[number];

/** What the end of a session can say by itself; a change of anything else needs the whole capsule. */
export const SNAPSHOT_FIELDS = [
  'open_loops',
  'top_priorities',
  'active_constraints',
  'stance_summary',
  'negative_decisions',
  'session_trajectory',
  'rationale_entries',
] as const satisfies readonly WriteEligible[];
