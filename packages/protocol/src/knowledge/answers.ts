import { z } from 'zod';
import { graphSection, scheduleContext } from '../continuity/startup-answer.ts';
import { SORTS, TASK_STATUSES } from './vocabulary.ts';

const ok = z.literal(true);
const texts = z.array(z.string());
const object = z.record(z.string(), z.unknown());
const latestCommit = z.string().nullable();

export const written = z.object({
  ok,
  path: z.string(),
  /** False when exactly that was stored already. */
  committed: z.boolean(),
  latest_commit: latestCommit,
});

export const document = z.object({ ok, path: z.string(), content: z.string() });

export const rebuilt = z.object({
  ok,
  file_count: z.int(),
  committed_files: texts,
  latest_commit: latestCommit,
});

export const broughtUpToDate = rebuilt.extend({
  incremental: z.object({ changed_count: z.int(), removed_count: z.int(), unchanged_count: z.int() }),
});

export const indexStatus = z.object({
  ok,
  generated_at: z.string().nullable(),
  file_count: z.int(),
  sqlite_fts: z.boolean(),
  state_file: z.boolean(),
});

export const foundDocument = z.object({
  path: z.string(),
  type: z.string(),
  size: z.int(),
  modified_at: z.string(),
  snippet: z.string(),
  tags: texts,
  importance: z.number().nullable(),
  score: z.number().nullable(),
});

export const recent = z.object({ ok, count: z.int(), results: z.array(foundDocument) });
export const found = recent.extend({ query: z.string(), sort_by: z.enum(SORTS) });

export const task = z.object({
  task_id: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.enum(TASK_STATUSES),
  owner_peer: z.string(),
  collaborators: texts,
  thread_id: z.string().nullable(),
  blocked_by: texts,
  due_at: z.string().nullable(),
  metadata: object,
  created_at: z.string(),
  updated_at: z.string(),
});

const taskWritten = z.object({ ok, task, path: z.string(), latest_commit: z.string() });
export const taskCreated = taskWritten.extend({ committed: z.literal(true) });
export const taskChanged = taskWritten.extend({ committed_files: texts });
export const tasks = z.object({ ok, count: z.int(), tasks: z.array(task) });

/** The capsules of a bundle, cut to the budget: parts may be missing. */
const continuityBundle = z.object({
  present: z.boolean(),
  requested_selectors: texts,
  omitted_selectors: texts,
  capsules: z.array(object),
  selection_order: texts,
  budget: z.object({
    requested_max_tokens_estimate: z.int(),
    token_budget_hint: z.int(),
    continuity_tokens_reserved: z.int(),
    continuity_tokens_used: z.int(),
  }),
  warnings: texts,
  fallback_used: z.boolean(),
  recovery_warnings: texts,
  trust_signals: object.nullable(),
  salience_metadata: object.nullable(),
});

export const retrieved = z.object({
  ok,
  bundle: z.object({
    task: z.string(),
    generated_at: z.string(),
    core_memory: z.array(z.object({ path: z.string(), snippet: z.string() })),
    recent_relevant: z.array(
      foundDocument.partial().required({ path: true, type: true, snippet: true, score: true }),
    ),
    open_questions: texts,
    token_budget_hint: z.int(),
    time_window_days: z.int(),
    notes: texts,
    continuity_state: continuityBundle,
    graph_context: graphSection,
    schedule_context: scheduleContext.optional(),
  }),
});

export type WriteAnswer = z.output<typeof written>;
export type DocumentAnswer = z.output<typeof document>;
export type RebuildAnswer = z.output<typeof rebuilt>;
export type IndexStatusAnswer = z.output<typeof indexStatus>;
export type FoundDocument = z.output<typeof foundDocument>;
/** What search and recent have in common. */
export type FoundAnswer = z.output<typeof recent>;
export type Task = z.output<typeof task>;
export type TaskAnswer = z.output<typeof taskWritten>;
export type TasksAnswer = z.output<typeof tasks>;
export type RetrieveAnswer = z.output<typeof retrieved>;
