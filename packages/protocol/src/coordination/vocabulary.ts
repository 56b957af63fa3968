/** The words of coordination. Each list is in the order in which help texts and errors name them. */
export const TRUST_LEVELS = ['trusted', 'restricted', 'untrusted'] as const;
export type TrustLevel = (typeof TRUST_LEVELS)[number];

export const CONSUMED_AS = ['accepted_advisory', 'deferred', 'rejected'] as const;
export const HANDOFF_STATUSES = ['pending', ...CONSUMED_AS] as const;
export type HandoffStatus = (typeof HANDOFF_STATUSES)[number];

export const CLASSIFICATIONS = [
  'contradictory',
  'stale_observation',
  'frame_conflict',
  'concurrent_race',
] as const;
export const TRIGGERS = [
  'handoff_vs_handoff',
  'shared_vs_shared',
  'handoff_vs_shared',
  'concurrent_mutation_race',
] as const;
export type Trigger = (typeof TRIGGERS)[number];
export const SOURCE_KINDS = ['handoff', 'shared'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];
export const EPISTEMIC_STATUSES = [
  'frame_present',
  'frame_absent_evidence_confirms',
  'frame_status_unknown',
] as const;
export const RECONCILIATION_STATUSES = ['open', 'resolved'] as const;
export const RESOLUTION_OUTCOMES = ['advisory_only', 'conflicted', 'rejected'] as const;
