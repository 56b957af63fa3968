/** The words of the capsule protocol. Each list is in the order in which help texts and errors name them. */
export const SUBJECT_KINDS = ['user', 'peer', 'thread', 'task'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

export const THREAD_KINDS = ['thread', 'task'] as const;

export const UPDATE_REASONS = [
  'startup_refresh',
  'pre_compaction',
  'interaction_boundary',
  'manual',
  'migration',
] as const;

export const BOUNDARY_KINDS = [
  'person_switch',
  'thread_switch',
  'task_switch',
  'public_reply',
  'manual_checkpoint',
] as const;

export const VERIFICATION_KINDS = [
  'self_review',
  'external_observation',
  'user_confirmation',
  'peer_confirmation',
  'system_check',
] as const;
export type VerificationKind = (typeof VERIFICATION_KINDS)[number];

export const VERIFICATION_STATUSES = [
  'unverified',
  'self_attested',
  'externally_supported',
  'user_confirmed',
  'peer_confirmed',
  'system_confirmed',
  'conflicted',
] as const;
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

export const HEALTH_STATUSES = ['healthy', 'degraded', 'conflicted'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

export const FRESHNESS_CLASSES = ['persistent', 'durable', 'situational', 'ephemeral'] as const;
export type FreshnessClass = (typeof FRESHNESS_CLASSES)[number];

/** From best to worst. */
export const PHASES = ['fresh', 'stale_soft', 'stale_hard', 'expired_by_age', 'expired'] as const;
export type Phase = (typeof PHASES)[number];

export const TRUST_LEVELS = ['low', 'guarded', 'normal', 'high'] as const;
export const RATIONALE_KINDS = ['decision', 'assumption', 'tension'] as const;
export const RATIONALE_STATUSES = ['active', 'superseded', 'retired'] as const;
export const RELEVANCES = ['primary', 'supporting', 'background'] as const;

/** From most to least alive. */
export const LIFECYCLES = ['active', 'suspended', 'concluded', 'superseded'] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

export const TRANSITIONS = ['suspend', 'resume', 'conclude', 'supersede'] as const;
export type Transition = (typeof TRANSITIONS)[number];

export const MERGE_MODES = ['replace', 'preserve'] as const;
export const OUTCOMES = ['confirm', 'correct', 'degrade', 'conflict'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const PATCH_ACTIONS = ['append', 'remove', 'replace_at'] as const;
export const LIST_SORTS = ['default', 'salience'] as const;

export const SOURCE_STATES = ['active', 'fallback', 'missing'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];
export const ARTIFACT_STATES = ['active', 'fallback', 'archived', 'cold'] as const;
export type ArtifactState = (typeof ARTIFACT_STATES)[number];

/** Parts of the store a path may lead into. */
export const TOP_LEVEL_FOLDERS = [
  'journal',
  'essays',
  'projects',
  'memory',
  'messages',
  'peers',
  'snapshots',
  'tasks',
  'patches',
  'runs',
  'index',
  'archive',
  'config',
  'logs',
  'backups',
] as const;
