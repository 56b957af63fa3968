import type {
  Capsule,
  CapsuleHealth,
  ContinuityState,
  StablePreference,
  ThreadDescriptor,
  VerificationState,
} from '@parley/protocol/continuity/capsule';
import type { TrustSignals } from '@parley/protocol/continuity/trust-signals';
import type {
  ArtifactState,
  FreshnessClass,
  HealthStatus,
  Lifecycle,
  Outcome,
  Phase,
  SourceState,
  SubjectKind,
  VerificationKind,
  VerificationStatus,
} from '@parley/protocol/continuity/vocabulary';

/** Hints of the server; the key is there only when it has any. */
interface Noticed {
  notices?: string[];
}

export interface ReadAnswer extends Noticed {
  ok: true;
  path: string;
  capsule: Capsule | null;
  archived: false;
  source_state: SourceState;
  recovery_warnings: string[];
  trust_signals: TrustSignals | null;
}

export interface StartupSummary {
  recovery: {
    source_state: SourceState;
    recovery_warnings: string[];
    capsule_health_status: HealthStatus | null;
    capsule_health_reasons: string[];
  };
  orientation: Pick<
    ContinuityState,
    'top_priorities' | 'active_constraints' | 'open_loops' | 'negative_decisions' | 'rationale_entries'
  > | null;
  context: Pick<ContinuityState, 'session_trajectory' | 'stance_summary' | 'active_concerns'> | null;
  updated_at: string | null;
  trust_signals: TrustSignals | null;
  stable_preferences: StablePreference[] | null;
}

/** What is linked to the subject. */
export interface GraphSummary {
  anchor: unknown;
  nodes: { id: string; kind: string; subject_id: string }[];
  edges: { relationship: string; source_id: string; target_id: string }[];
  related_documents: { path: string; node_id: string; source_id: string }[];
  blockers: { task_id: string; blocked_by_task_id: string; source_id: string; target_id: string }[];
  truncation: Record<string, { limit: number; available: number; returned: number; truncated: boolean }>;
  warnings: { code: string; message: string; details: Record<string, unknown> }[];
}

/** What was to be remembered about the subject, now or soon. */
export interface ScheduleContext {
  due: { items: ScheduledItem[]; count: number; truncated: boolean };
  upcoming: { window_hours: number; items: ScheduledItem[]; count: number; truncated: boolean };
  warnings: unknown[];
}

export type ScheduledItem = Record<string, unknown> & { title: string; due_at: string };

export interface StartupAnswer extends ReadAnswer {
  startup_summary: StartupSummary | null;
  graph_summary: GraphSummary;
  schedule_context: ScheduleContext;
}

/** Of a write: what is on disk now. */
interface Written extends Noticed {
  ok: true;
  path: string;
  durable: boolean;
  latest_commit: string | null;
  warnings: unknown[];
  recovery_warnings: string[];
}

/** What a write would have done. */
export interface RehearsalAnswer extends Noticed {
  ok: true;
  path: string;
  dry_run: true;
  would_change: boolean;
  changed_fields: string[];
  capsule_sha256: string;
  normalizations_applied: string[];
  warnings: unknown[];
  recovery_warnings: string[];
}

export interface UpsertAnswer extends Written {
  created: boolean;
  updated: boolean;
  capsule_sha256: string;
  normalizations_applied: string[];
  fallback_warning_detail: string | null;
  session_end_snapshot_applied?: true;
  resume_quality?: { adequate: boolean };
  lifecycle?: Lifecycle;
  replayed?: true;
}

export interface PatchAnswer extends Written {
  updated: boolean;
  capsule_sha256: string;
  operations_applied: number;
  normalizations_applied: string[];
}

export interface LifecycleAnswer extends Written {
  lifecycle: Lifecycle;
  previous_lifecycle: Lifecycle;
  capsule_sha256: string;
}

export interface RevalidateAnswer extends Written {
  outcome: Outcome;
  updated: boolean;
  verification_state: VerificationState;
  capsule_health: CapsuleHealth;
  fallback_warning_detail: string | null;
}

export interface RestoreAnswer extends Written {
  created: boolean;
  updated: boolean;
  revision: number;
  capsule_sha256: string;
}

export interface CompareAnswer extends Noticed {
  ok: true;
  path: string;
  identical: boolean;
  changed_fields: string[];
  strongest_signal: VerificationKind;
  recommended_outcome: Outcome;
}

export interface ListRow {
  subject_kind: SubjectKind;
  subject_id: string;
  path: string;
  updated_at: string | null;
  verified_at: string | null;
  verification_kind: VerificationKind | null;
  freshness_class: FreshnessClass | null;
  phase: Phase | null;
  verification_status: VerificationStatus | null;
  health_status: HealthStatus | null;
  health_reasons: string[];
  artifact_state: ArtifactState;
  retention_class: string;
  stable_preference_count: number | null;
  rationale_entry_count: number | null;
  thread_descriptor: ThreadDescriptor | null;
  resume_adequate?: boolean;
  verification_claimed?: true;
  archive_path?: string;
  archived_at?: string | null;
  source_archive_path?: string;
  cold_stub_path?: string;
  cold_storage_path?: string;
  cold_stored_at?: string | null;
  salience_rank?: number | null;
  salience?: { rank: number; sort_key: Record<string, number | boolean> } | null;
}

export interface ListAnswer {
  ok: true;
  count: number;
  capsules: ListRow[];
  unique_match: boolean;
  next_cursor?: string;
  salience_metadata?: Record<string, number | boolean> | null;
}

export interface ArchiveAnswer extends Omit<Written, 'path' | 'recovery_warnings'> {
  archived_path: string;
  removed_active_path: string;
}

export interface DeleteAnswer extends Omit<Written, 'path' | 'recovery_warnings'> {
  deleted_paths: string[];
  missing_paths: string[];
}

export interface PlanAnswer extends Omit<Written, 'path' | 'recovery_warnings'> {
  count: number;
  generated_at: string;
  candidates: (Record<string, unknown> & { subject_kind: SubjectKind; subject_id: string })[];
}

export interface RetentionPlanAnswer extends PlanAnswer {
  path: string;
  total_candidates: number;
  has_more: boolean;
}

export interface Revision {
  revision: number;
  operation: string;
  updated_at: string | null;
  recorded_at: string;
  peer_id: string;
  commit_message: string;
  reason: string | null;
  idempotency_key: string | null;
  capsule_sha256: string | null;
  changed_fields: string[];
}

export interface HistoryAnswer {
  ok: true;
  revisions: Revision[];
  next_before: number | null;
}

/** Between lists also what came, what went, and the names of entries that now say something else. */
export interface FieldChange {
  path: string;
  before: unknown;
  after: unknown;
  added?: unknown[];
  removed?: unknown[];
  changed?: string[];
}

export interface DiffAnswer {
  ok: true;
  path: string;
  identical: boolean;
  changes: FieldChange[];
}

export interface SearchAnswer {
  ok: true;
  query: string;
  count: number;
  results: (ListRow & { matches: { field: string; snippet: string }[] })[];
}

export interface JobAnswer {
  ok: true;
  job_id: string;
  job_result: Record<string, unknown>;
}

/** One change of a capsule, never what it says. `id` is the place in the stream to resume after. */
export interface CapsuleEvent {
  id: number;
  subject_kind: SubjectKind;
  subject_id: string;
  operation: string;
  path: string;
  revision: number;
  capsule_sha256: string | null;
  peer_id: string;
}
