import * as continuity from '../continuity/routes.ts';
import * as knowledge from '../knowledge/routes.ts';
import { SUBJECT_FIELDS } from './input-schema.ts';
import type { ToolDeclaration } from './tool.ts';

/** Documents, what is found in them, and what a piece of work begins with. */
export const DOCUMENT_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'memory.write',
    title: 'Write a document',
    description:
      'Store a text under a path, replacing what was there. For notes and files that should outlive this conversation; use continuity.save for the state of your work.',
    route: knowledge.write,
    group: 'documents',
    isDefault: true,
    effect: 'writes',
    scopes: ['write:journal', 'write:messages', 'write:projects'],
    fields: {
      path: 'Relative, such as projects/site/notes.md, journal/2026/week-1.md or messages/draft.md.',
      content: 'The whole text.',
    },
  },
  {
    name: 'memory.append_jsonl',
    title: 'Append a record',
    description:
      'Add one JSON object as a new line to a document ending in .jsonl, creating it if needed. For logs and journals that only grow.',
    route: knowledge.append,
    group: 'documents',
    effect: 'writes',
    scopes: ['write:journal', 'write:messages', 'write:projects'],
    fields: { path: 'Relative, ending in .jsonl.', record: 'The object to add.' },
  },
  {
    name: 'memory.read',
    title: 'Read a document',
    description:
      'Read a stored document, task or capsule by its path, as search.query, recent.list and context.retrieve name them.',
    route: knowledge.read,
    group: 'documents',
    isDefault: true,
    effect: 'reads',
    fields: { path: 'As it was written or found.' },
  },
];

export const SEARCH_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'index.rebuild_full',
    title: 'Rebuild the search index',
    description:
      'Make the search index anew from everything stored. Needed only when index.status says that it is missing or wrong.',
    route: knowledge.rebuild,
    group: 'documents',
    effect: 'writes',
  },
  {
    name: 'index.rebuild_incremental',
    title: 'Update the search index',
    description: 'Bring the search index up to date and say what changed since the last time.',
    route: knowledge.rebuildIncremental,
    group: 'documents',
    effect: 'writes',
  },
  {
    name: 'index.status',
    title: 'Search index status',
    description: 'Whether there is a search index, how old it is and how many documents are in it.',
    route: knowledge.indexStatus,
    group: 'documents',
    effect: 'reads',
  },
  {
    name: 'search.query',
    title: 'Search documents',
    description:
      'Find stored documents and tasks by words in them or in their paths. Returns paths with snippets; read one with memory.read.',
    route: knowledge.search,
    group: 'documents',
    effect: 'reads',
    fields: {
      query: 'Words to look for.',
      include_types: 'Only documents of these types; all when empty.',
      time_window_hours: 'Only what changed within so many hours.',
    },
  },
  {
    name: 'recent.list',
    title: 'Recent documents',
    description: 'The documents and tasks that changed last, newest first.',
    route: knowledge.recent,
    group: 'documents',
    effect: 'reads',
  },
];

export const CONTEXT_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'context.retrieve',
    title: 'Gather context for a task',
    description:
      'Everything stored that helps with a task, in one call and within a token budget: capsules of the subject, core memory, matching documents, related items and due reminders. Call it before you begin.',
    route: knowledge.retrieve,
    group: 'memory',
    isDefault: true,
    effect: 'reads',
    fields: {
      task: 'What you are about to do, in a sentence.',
      subject_kind: SUBJECT_FIELDS.subject_kind,
      max_tokens_estimate: 'Budget for the answer.',
    },
  },
];

const ENDING = 'Give the reason in a few words; it is kept.';

export const CONTINUITY_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'continuity.upsert',
    title: 'Save where the work stands',
    description:
      'Save a capsule: the state of your work on a subject (priorities, open loops, constraints, decisions, stance), so that you or another session can carry on after a reset. With merge_mode preserve send only what changes, and null to clear a list. Times are UTC, such as 2026-01-31T12:00:00Z; updated_at must not be older than what is stored.',
    route: continuity.upsert,
    group: 'memory',
    effect: 'writes',
    fields: {
      ...SUBJECT_FIELDS,
      merge_mode: 'replace writes the whole capsule; preserve keeps what you leave out.',
    },
  },
  {
    name: 'continuity.save',
    title: 'Begin or update a capsule',
    description:
      'Save where the work on a subject stands. Begins a capsule, or replaces what you send and keeps the rest; an empty list changes nothing, so take items out with continuity.patch.',
    route: continuity.upsert,
    group: 'memory',
    isDefault: true,
    effect: 'writes',
    brief: ['capsule'],
    without: [
      'session_end_snapshot',
      'lifecycle_transition',
      'superseded_by',
      'commit_message',
      'idempotency_key',
      'idempotent_replay',
      'dry_run',
      'explain',
    ],
    needed: ['merge_mode'],
    shapes: { merge_mode: { type: 'string', enum: ['preserve'] } },
    fields: SUBJECT_FIELDS,
  },
  {
    name: 'continuity.read',
    title: 'Read where the work stands',
    description:
      'Read the capsule of a subject: what was being done, what is open, what was decided. With view startup the answer begins with a summary to carry on from; do that first in a new session. With allow_fallback an older state is served when the newest is damaged, with a warning.',
    route: continuity.read,
    group: 'memory',
    isDefault: true,
    effect: 'reads',
    fields: { ...SUBJECT_FIELDS, view: 'startup: with a summary to carry on from.' },
  },
  {
    name: 'continuity.compare',
    title: 'Compare with the stored capsule',
    description: 'Compare a candidate capsule with the stored one and recommend what to do. Writes nothing.',
    route: continuity.compare,
    group: 'memory',
    effect: 'reads',
  },
  {
    name: 'continuity.revalidate',
    title: 'Confirm or correct a capsule',
    description:
      'Record that a capsule was checked against something observed: confirmed, corrected, degraded or in conflict.',
    route: continuity.revalidate,
    group: 'memory',
    effect: 'writes',
  },
  {
    name: 'continuity.refresh_plan',
    title: 'What needs a refresh',
    description: 'List the capsules that are stale or doubtful, most urgent first, and keep the plan.',
    route: continuity.refreshPlan,
    group: 'memory',
    effect: 'writes',
  },
  {
    name: 'continuity.retention_plan',
    title: 'What could be put away',
    description: 'List the archived capsules that are old enough for cold storage, and keep the plan.',
    route: continuity.retentionPlan,
    group: 'memory',
    effect: 'writes',
  },
  {
    name: 'continuity.list',
    title: 'List capsules',
    description:
      'Which capsules there are, with their health and age. Use it when you do not know the name of a subject.',
    route: continuity.list,
    group: 'memory',
    isDefault: true,
    effect: 'reads',
    fields: { cursor: 'Empty for the first page, then next_cursor of the answer.' },
  },
  {
    name: 'continuity.archive',
    title: 'Archive a capsule',
    description: 'Put the capsule of a subject that is over into the archive. It can be restored.',
    route: continuity.archive,
    group: 'memory',
    effect: 'destroys',
    fields: { reason: ENDING },
  },
  {
    name: 'continuity.delete',
    title: 'Delete a capsule',
    description:
      'Delete the active capsule, its archives or its fallback, as the flags say; at least one must be true.',
    route: continuity.remove,
    group: 'memory',
    effect: 'destroys',
    fields: { reason: ENDING },
  },
  {
    name: 'continuity.patch',
    title: 'Change items of a capsule',
    description:
      'Append, remove or replace single items of the lists of a stored capsule, up to ten changes, all or nothing. Smaller than continuity.upsert when only a few items change.',
    route: continuity.patch,
    group: 'memory',
    isDefault: true,
    effect: 'writes',
    without: ['dry_run', 'explain'],
    fields: {
      ...SUBJECT_FIELDS,
      updated_at: 'Now, in UTC: 2026-01-31T12:00:00Z.',
      operations:
        'value: the item to append or put in place; match: the text of the item to remove or replace.',
    },
  },
  {
    name: 'continuity.lifecycle',
    title: 'Suspend, resume or conclude',
    description:
      'Change the lifecycle of a thread or task: suspend, resume, conclude, or supersede it by another.',
    route: continuity.lifecycle,
    group: 'memory',
    effect: 'writes',
    fields: { superseded_by: 'Only with supersede: the subject_id that takes its place.' },
  },
  {
    name: 'continuity.history',
    title: 'History of a capsule',
    description: 'Earlier states of a capsule, newest first, with their numbers.',
    route: continuity.history,
    group: 'memory',
    effect: 'reads',
  },
  {
    name: 'continuity.search',
    title: 'Search capsules',
    description: 'Find capsules by words in them.',
    route: continuity.search,
    group: 'memory',
    effect: 'reads',
  },
];

export const TASK_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'tasks.create',
    title: 'Create a task',
    description: 'Create a task that agents share: who owns it, who helps, what blocks it, when it is due.',
    route: knowledge.createTask,
    group: 'documents',
    effect: 'writes',
    fields: {
      task_id: 'A name you choose, without slashes.',
      owner_peer: 'The agent that does it, by its slug.',
    },
  },
  {
    name: 'tasks.update',
    title: 'Change a task',
    description: 'Change fields of a task, such as its status. A task that is done stays done.',
    route: knowledge.changeTask,
    group: 'documents',
    effect: 'writes',
  },
  {
    name: 'tasks.query',
    title: 'Find tasks',
    description: 'Tasks by status, owner, collaborator or thread, last changed first.',
    route: knowledge.queryTasks,
    group: 'documents',
    effect: 'reads',
  },
];
