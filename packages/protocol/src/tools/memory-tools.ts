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
