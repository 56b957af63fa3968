import { z } from 'zod';
import { continuityCapsule, negativeDecisions, rationaleEntries, subjectId, subjectKind } from './capsule.ts';
import { anyWhole, flag, NOT_TEXT, ruledTexts, text, textOf, textOrOther, whole } from './fields.ts';
import {
  COMMIT_MESSAGE_CHARS,
  IDEMPOTENCY_KEY_CHARS,
  IDENTITY_ANCHORS,
  KEYWORDS,
  LABEL_CHARS,
  LIST_LIMIT,
  PATCH_OPERATIONS,
  PLAN_LIMIT,
  REASON_CHARS,
  REMOVAL_REASON_CHARS,
  SCOPE_ANCHORS,
  SIGNALS,
  STANCE_CHARS,
  STATE_LISTS,
} from './limits.ts';
import { PATCH_TARGETS } from './patch-targets.ts';
import { withoutClearedFields } from './preserve-nulls.ts';
import {
  LIFECYCLES,
  LIST_SORTS,
  MERGE_MODES,
  OUTCOMES,
  PATCH_ACTIONS,
  THREAD_KINDS,
  TRANSITIONS,
  VERIFICATION_KINDS,
} from './vocabulary.ts';

const subject = { subject_kind: subjectKind, subject_id: subjectId };
const commitMessage = textOf(COMMIT_MESSAGE_CHARS).nullish();
const removalReason = textOf(REMOVAL_REASON_CHARS.max, REMOVAL_REASON_CHARS.min);
const off = () => flag().default(false);
/** Beyond the original: evaluate and tell, store nothing; and tell every fault instead of the first. */
const rehearsal = { dry_run: off(), explain: off() };

export const sessionEndSnapshot = z.object({
  open_loops: ruledTexts(STATE_LISTS.open_loops),
  top_priorities: ruledTexts(STATE_LISTS.top_priorities),
  active_constraints: ruledTexts(STATE_LISTS.active_constraints),
  stance_summary: textOf(STANCE_CHARS),
  negative_decisions: negativeDecisions.nullish(),
  session_trajectory: ruledTexts(STATE_LISTS.session_trajectory).nullish(),
  rationale_entries: rationaleEntries.nullish(),
});

/** In preserve mode a null clears a field; the schema behind never sees those nulls. */
export const upsertRequest = z.preprocess(
  withoutClearedFields,
  z.object({
    ...subject,
    capsule: continuityCapsule,
    commit_message: commitMessage,
    idempotency_key: textOf(IDEMPOTENCY_KEY_CHARS).nullish(),
    session_end_snapshot: sessionEndSnapshot.nullish(),
    lifecycle_transition: z.enum(TRANSITIONS).nullish(),
    superseded_by: subjectId.nullish(),
    merge_mode: z.enum(MERGE_MODES).default('replace'),
    idempotent_replay: off(),
    ...rehearsal,
  }),
);

export const patchOperation = z.object({
  target: z.enum(PATCH_TARGETS),
  action: z.enum(PATCH_ACTIONS),
  value: z.unknown().refine(textOrOther, NOT_TEXT).optional(),
  match: text().nullish(),
  index: anyWhole().nullish(),
});

export const patchRequest = z.object({
  ...subject,
  updated_at: text(),
  operations: z.array(patchOperation).min(PATCH_OPERATIONS.min).max(PATCH_OPERATIONS.max),
  commit_message: commitMessage,
  ...rehearsal,
});

export const lifecycleRequest = z.object({
  subject_kind: z.enum(THREAD_KINDS),
  subject_id: subjectId,
  transition: z.enum(TRANSITIONS),
  superseded_by: subjectId.nullish(),
  updated_at: text(),
  commit_message: commitMessage,
  ...rehearsal,
});

export const readRequest = z.object({
  ...subject,
  allow_fallback: off(),
  view: z.literal('startup').nullish(),
  /** Beyond the original: an older state, by its number in the history. */
  revision: whole(1, Number.MAX_SAFE_INTEGER).nullish(),
});

export const verificationSignal = z.object({
  kind: z.enum(VERIFICATION_KINDS),
  source_ref: textOf(SIGNALS.sourceRef, 1),
  observed_at: text(),
  summary: textOf(SIGNALS.summary, 1),
});

const signals = z.array(verificationSignal).min(SIGNALS.min).max(SIGNALS.max);

export const compareRequest = z.object({
  ...subject,
  candidate_capsule: continuityCapsule,
  signals,
  explain: off(),
});

export const revalidateRequest = z.object({
  ...subject,
  outcome: z.enum(OUTCOMES),
  signals,
  candidate_capsule: continuityCapsule.nullish(),
  reason: textOf(REASON_CHARS, 1).nullish(),
  ...rehearsal,
});

export const listRequest = z.object({
  subject_kind: subjectKind.nullish(),
  limit: whole(LIST_LIMIT.least, LIST_LIMIT.most).default(LIST_LIMIT.usual),
  include_fallback: off(),
  include_archived: off(),
  include_cold: off(),
  lifecycle: z.enum(LIFECYCLES).nullish(),
  scope_anchor: textOf(SCOPE_ANCHORS.chars).nullish(),
  keyword: textOf(KEYWORDS.chars).nullish(),
  label_exact: textOf(LABEL_CHARS).nullish(),
  anchor_kind: textOf(IDENTITY_ANCHORS.kind).nullish(),
  anchor_value: textOf(IDENTITY_ANCHORS.value).nullish(),
  sort: z.enum(LIST_SORTS).nullish(),
  /** Beyond the original: empty for the first page, then what the answer gave as `next_cursor`. */
  cursor: textOf(4096).nullish(),
});

export const archiveRequest = z.object({ ...subject, reason: removalReason });

export const deleteRequest = z
  .object({
    ...subject,
    delete_active: off(),
    delete_archive: off(),
    delete_fallback: off(),
    reason: removalReason,
  })
  .refine(
    (flags) => flags.delete_active || flags.delete_archive || flags.delete_fallback,
    'at least one delete flag must be true',
  );

export const refreshPlanRequest = z.object({
  subject_kind: subjectKind.nullish(),
  limit: whole(PLAN_LIMIT.least, PLAN_LIMIT.most).default(PLAN_LIMIT.usual),
  include_healthy: off(),
});

export const retentionPlanRequest = z.object({
  subject_kind: subjectKind.nullish(),
  limit: whole(PLAN_LIMIT.least, PLAN_LIMIT.most).default(PLAN_LIMIT.usual),
});

export type UpsertRequest = z.output<typeof upsertRequest>;
export type SessionEndSnapshot = z.output<typeof sessionEndSnapshot>;
export type PatchRequest = z.output<typeof patchRequest>;
export type PatchOperation = z.output<typeof patchOperation>;
export type LifecycleRequest = z.output<typeof lifecycleRequest>;
export type ReadRequest = z.output<typeof readRequest>;
export type VerificationSignal = z.output<typeof verificationSignal>;
export type CompareRequest = z.output<typeof compareRequest>;
export type RevalidateRequest = z.output<typeof revalidateRequest>;
export type ListRequest = z.output<typeof listRequest>;
export type ArchiveRequest = z.output<typeof archiveRequest>;
export type DeleteRequest = z.output<typeof deleteRequest>;
export type RefreshPlanRequest = z.output<typeof refreshPlanRequest>;
export type RetentionPlanRequest = z.output<typeof retentionPlanRequest>;
