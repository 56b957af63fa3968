import { z } from 'zod';
import { subjectId, subjectKind } from './capsule.ts';
import { flag, text, textOf, whole } from './fields.ts';
import {
  HISTORY_LIMIT,
  PATH_CHARS,
  REMOVAL_REASON_CHARS,
  RETENTION_PATHS,
  SEARCH_LIMIT,
  SEARCH_QUERY_CHARS,
} from './limits.ts';

/* What the original does not have: the past of a capsule, and looking for one by what it says. */

const subject = { subject_kind: subjectKind, subject_id: subjectId };
const revision = whole(1, Number.MAX_SAFE_INTEGER);

export const historyRequest = z.object({
  ...subject,
  limit: whole(HISTORY_LIMIT.least, HISTORY_LIMIT.most).default(HISTORY_LIMIT.usual),
  before: revision.nullish(),
});

/** A number of the history, `active`, `fallback`, or the path of an archive. */
export const stateReference = z.union([revision, textOf(PATH_CHARS, 1)]);

export const diffRequest = z.object({ ...subject, from: stateReference, to: stateReference });

export const restoreRequest = z.object({
  ...subject,
  from: stateReference,
  updated_at: text(),
  reason: textOf(REMOVAL_REASON_CHARS.max, REMOVAL_REASON_CHARS.min),
});

export const searchRequest = z.object({
  query: textOf(SEARCH_QUERY_CHARS, 1),
  subject_kind: subjectKind.nullish(),
  fields: z.array(textOf(80, 1)).max(24).nullish(),
  include_archived: flag().default(false),
  limit: whole(SEARCH_LIMIT.least, SEARCH_LIMIT.most).default(SEARCH_LIMIT.usual),
});

export const eventsQuery = z.object({ after: z.coerce.number().int().min(0).optional() });

export const coldStoreArguments = z.strictObject({ source_archive_path: textOf(PATH_CHARS, 1) });
export const coldRehydrateArguments = z
  .strictObject({
    source_archive_path: textOf(PATH_CHARS, 1).nullish(),
    cold_stub_path: textOf(PATH_CHARS, 1).nullish(),
  })
  .refine(
    (given) => (given.source_archive_path == null) !== (given.cold_stub_path == null),
    'exactly one of source_archive_path and cold_stub_path is required',
  );
export const retentionApplyArguments = z.strictObject({
  source_archive_paths: z.array(textOf(PATH_CHARS, 1)).min(1).max(RETENTION_PATHS),
});

export const opsRunRequest = z.discriminatedUnion('job_id', [
  z.object({ job_id: z.literal('continuity_cold_store'), arguments: coldStoreArguments }),
  z.object({ job_id: z.literal('continuity_cold_rehydrate'), arguments: coldRehydrateArguments }),
  z.object({ job_id: z.literal('continuity_retention_apply'), arguments: retentionApplyArguments }),
]);

export type HistoryRequest = z.output<typeof historyRequest>;
export type StateReference = z.output<typeof stateReference>;
export type DiffRequest = z.output<typeof diffRequest>;
export type RestoreRequest = z.output<typeof restoreRequest>;
export type SearchRequest = z.output<typeof searchRequest>;
export type OpsRunRequest = z.output<typeof opsRunRequest>;
