import { z } from 'zod';
import { threadDescriptor } from './capsule-answer.ts';
import {
  ARTIFACT_STATES,
  FRESHNESS_CLASSES,
  HEALTH_STATUSES,
  PHASES,
  SUBJECT_KINDS,
  VERIFICATION_KINDS,
  VERIFICATION_STATUSES,
} from './vocabulary.ts';

const ok = z.literal(true);
const texts = z.array(z.string());
const figures = z.record(z.string(), z.union([z.number(), z.boolean()]));

/** What a list tells of one artifact: its orientation, never its contents. */
export const listRow = z.object({
  subject_kind: z.enum(SUBJECT_KINDS),
  subject_id: z.string(),
  path: z.string(),
  updated_at: z.string().nullable(),
  verified_at: z.string().nullable(),
  verification_kind: z.enum(VERIFICATION_KINDS).nullable(),
  freshness_class: z.enum(FRESHNESS_CLASSES).nullable(),
  phase: z.enum(PHASES).nullable(),
  verification_status: z.enum(VERIFICATION_STATUSES).nullable(),
  health_status: z.enum(HEALTH_STATUSES).nullable(),
  health_reasons: texts,
  artifact_state: z.enum(ARTIFACT_STATES),
  retention_class: z.string(),
  stable_preference_count: z.int().nullable(),
  rationale_entry_count: z.int().nullable(),
  thread_descriptor: threadDescriptor.nullable(),
  resume_adequate: z.boolean().optional(),
  verification_claimed: z.literal(true).optional(),
  archive_path: z.string().optional(),
  archived_at: z.string().nullable().optional(),
  source_archive_path: z.string().optional(),
  cold_stub_path: z.string().optional(),
  cold_storage_path: z.string().optional(),
  cold_stored_at: z.string().nullable().optional(),
  salience_rank: z.int().nullable().optional(),
  salience: z.object({ rank: z.int(), sort_key: figures }).nullable().optional(),
});

export const listed = z.object({
  ok,
  count: z.int(),
  capsules: z.array(listRow),
  unique_match: z.boolean(),
  next_cursor: z.string().optional(),
  salience_metadata: figures.nullable().optional(),
});

export const found = z.object({
  ok,
  query: z.string(),
  count: z.int(),
  results: z.array(
    listRow.extend({ matches: z.array(z.object({ field: z.string(), snippet: z.string() })) }),
  ),
});

const plan = {
  ok,
  count: z.int(),
  generated_at: z.string(),
  durable: z.boolean(),
  latest_commit: z.string().nullable(),
  warnings: z.array(z.unknown()),
};

export const refreshPlan = z.object({
  ...plan,
  candidates: z.array(
    z.object({
      subject_kind: z.enum(SUBJECT_KINDS),
      subject_id: z.string(),
      path: z.string(),
      health_status: z.string().nullable(),
      verification_status: z.string().nullable(),
      last_revalidated_at: z.string().nullable(),
      updated_at: z.string().nullable(),
      reason_codes: texts,
      recommended_priority: z.enum(['high', 'medium', 'low']),
    }),
  ),
});

export const retentionPlan = z.object({
  ...plan,
  path: z.string(),
  total_candidates: z.int(),
  has_more: z.boolean(),
  candidates: z.array(
    z.object({
      subject_kind: z.enum(SUBJECT_KINDS),
      subject_id: z.string(),
      source_archive_path: z.string(),
      artifact_state: z.literal('archived'),
      retention_class: z.string(),
      policy_action: z.string(),
      archived_at: z.string().nullable(),
      age_days: z.int(),
      cold_storage_path: z.string(),
      cold_stub_path: z.string(),
      reason_codes: texts,
    }),
  ),
});

export const revision = z.object({
  revision: z.int(),
  operation: z.string(),
  updated_at: z.string().nullable(),
  recorded_at: z.string(),
  peer_id: z.string(),
  commit_message: z.string(),
  reason: z.string().nullable(),
  idempotency_key: z.string().nullable(),
  capsule_sha256: z.string().nullable(),
  changed_fields: texts,
});

export const revisions = z.object({ ok, revisions: z.array(revision), next_before: z.int().nullable() });

/** Between lists also what came, what went, and the names of entries that now say something else. */
export const fieldChange = z.object({
  path: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  added: z.array(z.unknown()).optional(),
  removed: z.array(z.unknown()).optional(),
  changed: texts.optional(),
});

export const differences = z.object({
  ok,
  path: z.string(),
  identical: z.boolean(),
  changes: z.array(fieldChange),
});

export const jobDone = z.object({ ok, job_id: z.string(), job_result: z.record(z.string(), z.unknown()) });

/** One change of a capsule, never what it says. The id of the event is the place in the stream to resume after. */
export const capsuleChange = z.object({
  subject_kind: z.enum(SUBJECT_KINDS),
  subject_id: z.string(),
  operation: z.string(),
  path: z.string(),
  revision: z.int(),
  capsule_sha256: z.string().nullable(),
  peer_id: z.string(),
});

export type ListRow = z.output<typeof listRow>;
export type ListAnswer = z.output<typeof listed>;
export type SearchAnswer = z.output<typeof found>;
export type Revision = z.output<typeof revision>;
export type HistoryAnswer = z.output<typeof revisions>;
export type FieldChange = z.output<typeof fieldChange>;
export type DiffAnswer = z.output<typeof differences>;
export type CapsuleEvent = z.output<typeof capsuleChange> & { id: number };
