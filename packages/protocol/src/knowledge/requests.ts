import { z } from 'zod';
import { subjectId, subjectKind } from '../continuity/capsule.ts';
import { text, textOf, whole } from '../continuity/fields.ts';
import { SUBJECT_ID_CHARS } from '../continuity/limits.ts';
import {
  DOCUMENT_BYTES,
  DOCUMENT_PATH_BYTES,
  RESULTS_LIMIT,
  RETRIEVED_CAPSULES,
  RETRIEVED_TOKENS,
  SELECTORS,
  TASK_ID_CHARS,
  TASKS_LIMIT,
  WINDOW_DAYS,
  WINDOW_HOURS,
} from './limits.ts';
import {
  CONTINUITY_MODES,
  RESILIENCE_POLICIES,
  SORTS,
  TASK_STATUSES,
  VERIFICATION_POLICIES,
} from './vocabulary.ts';

const commitMessage = text().nullish();
const types = z.array(text()).default([]);
const limit = whole(RESULTS_LIMIT.least, RESULTS_LIMIT.most).default(RESULTS_LIMIT.usual);
const hours = whole(WINDOW_HOURS.least, WINDOW_HOURS.most).nullish();
const anyObject = z.record(text(), z.unknown());

/** Both are counted in bytes, of which a character has at least one; the handler has words of its own for what is too long. */
const path = text().meta({ maxLength: DOCUMENT_PATH_BYTES });
const content = text().meta({ maxLength: DOCUMENT_BYTES });

export const writeRequest = z.object({ path, content, commit_message: commitMessage });
export const readQuery = z.object({ path });
export const appendRequest = z.object({ path, record: anyObject, commit_message: commitMessage });

export const searchDocumentsRequest = z.object({
  query: text(),
  limit,
  include_types: types,
  sort_by: z.enum(SORTS).default('relevance'),
  time_window_hours: hours,
});

export const recentRequest = z.object({
  limit,
  include_types: types,
  time_window_hours: hours,
  time_window_days: whole(WINDOW_DAYS.least, WINDOW_DAYS.most).nullish(),
});

/** It is part of a path: what could lead elsewhere, or could not be shown, is no id. */
const taskId = textOf(TASK_ID_CHARS, 1).refine(
  (id) => !/[/\p{Cc}]/u.test(id) && id !== '.' && id !== '..',
  'task_id must not contain a slash or control characters, nor be . or ..',
);

const status = z.enum(TASK_STATUSES);

export const createTaskRequest = z.object({
  task_id: taskId,
  title: text(),
  description: text().default(''),
  status: status.default('open'),
  owner_peer: text(),
  collaborators: z.array(text()).default([]),
  thread_id: text().nullable().default(null),
  blocked_by: z.array(text()).default([]),
  due_at: text().nullable().default(null),
  metadata: anyObject.default({}),
  commit_message: commitMessage,
});

/** Null leaves a field as it is. */
export const changeTaskRequest = z.object({
  title: text().nullish(),
  description: text().nullish(),
  status: status.nullish(),
  owner_peer: text().nullish(),
  collaborators: z.array(text()).nullish(),
  thread_id: text().nullish(),
  blocked_by: z.array(text()).nullish(),
  due_at: text().nullish(),
  metadata: anyObject.nullish(),
  commit_message: commitMessage,
});

export const tasksQuery = z.object({
  status: text().optional(),
  owner_peer: text().optional(),
  collaborator: text().optional(),
  thread_id: text().optional(),
  limit: whole(TASKS_LIMIT.least, TASKS_LIMIT.most).default(TASKS_LIMIT.usual),
});

export const retrieveRequest = z.object({
  task: text(),
  subject_kind: subjectKind.nullish(),
  subject_id: textOf(SUBJECT_ID_CHARS).nullish(),
  continuity_mode: z.enum(CONTINUITY_MODES).default('auto'),
  continuity_verification_policy: z.enum(VERIFICATION_POLICIES).default('allow_degraded'),
  continuity_resilience_policy: z.enum(RESILIENCE_POLICIES).default('allow_fallback'),
  continuity_selectors: z
    .array(z.object({ subject_kind: subjectKind, subject_id: subjectId }))
    .max(SELECTORS)
    .default([]),
  continuity_max_capsules: whole(RETRIEVED_CAPSULES.least, RETRIEVED_CAPSULES.most).default(
    RETRIEVED_CAPSULES.usual,
  ),
  max_tokens_estimate: whole(RETRIEVED_TOKENS.least, RETRIEVED_TOKENS.most).default(RETRIEVED_TOKENS.usual),
  include_types: types,
  time_window_days: whole(WINDOW_DAYS.least, WINDOW_DAYS.most).default(WINDOW_DAYS.usual),
  limit,
});

export type WriteRequest = z.output<typeof writeRequest>;
export type AppendRequest = z.output<typeof appendRequest>;
export type SearchDocumentsRequest = z.output<typeof searchDocumentsRequest>;
export type RecentRequest = z.output<typeof recentRequest>;
export type CreateTaskRequest = z.output<typeof createTaskRequest>;
export type ChangeTaskRequest = z.output<typeof changeTaskRequest>;
export type TasksQuery = z.output<typeof tasksQuery>;
export type RetrieveRequest = z.output<typeof retrieveRequest>;
