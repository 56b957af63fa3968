import type { Task } from '@parley/protocol/knowledge/answers';
import type { GraphSection } from '@parley/protocol/continuity/startup-answer';
import { hasScope } from '@parley/protocol/identity/scopes';
import { mayRead } from '../../continuity/access.ts';
import { type NamedSubject, slugOf } from '../../continuity/capsule/subject.ts';
import { type KeptCapsule, subjectCapsules } from '../../continuity/read/subject-capsules.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Caller } from '../../wire/caller.ts';
import type { KnowledgeContext } from '../knowledge-context.ts';
import { taskPath } from '../tasks/task.ts';
import { tasksOfId, tasksOfThread } from '../tasks/task-store.ts';
import { type GraphNode, Links, nodeOf } from './links.ts';
import { type Caps, emptySection, linkedSection } from './section.ts';
import { type SourceClass, warning } from './warnings.ts';

/*
 * What is one step away from a thread or a task, by links that somebody wrote down: tasks and their threads, what blocks a task,
 * the documents capsules point at, and what came after a subject. Ids are taken as they are written.
 */

/** The section for an anchor. Whatever goes wrong with it is told in it, and nowhere else. */
export async function graphOf(
  knowledge: KnowledgeContext,
  caller: Caller,
  { kind, id }: NamedSubject,
  caps: Caps,
): Promise<GraphSection> {
  if (kind !== 'thread' && kind !== 'task') {
    return emptySection(caps, [warning('graph_anchor_not_supported', { subject_kind: kind })]);
  }
  try {
    return await derived(knowledge, caller, nodeOf(kind, id), kind, caps);
  } catch (error) {
    knowledge.onError(error);
    // Whatever went wrong: what it was is for the log alone.
    return emptySection(caps, [warning('graph_derivation_failed', { reason: 'helper_exception' })]);
  }
}

async function derived(
  { database }: KnowledgeContext,
  caller: Caller,
  anchor: GraphNode,
  kind: 'thread' | 'task',
  caps: Caps,
): Promise<GraphSection> {
  const { ownerId } = caller;
  const links = new Links(anchor);
  const findTasks = kind === 'thread' ? tasksOfThread : tasksOfId;
  const [{ tasks, damaged }, capsules] = await Promise.all([
    findTasks(database.read, ownerId, anchor.subject_id),
    capsulesOf(database.read, ownerId, kind, anchor.subject_id),
  ]);
  if (damaged > 0) {
    // Tasks that would have been nodes, or the anchor itself.
    const counts = kind === 'thread' ? [damaged, 0] : [0, damaged];
    const [malformed_nodes = 0, malformed_anchors = 0] = counts;
    links.warnings.push(
      warning('graph_result_malformed', { malformed_nodes, malformed_edges: 0, malformed_anchors }),
    );
  }
  const isReadable = (source: SourceClass, path: string): boolean => {
    const readable = mayRead(caller, path);
    if (!readable) links.denied(source, path);
    return readable;
  };
  const mayReadTasks = hasScope(caller.scopes, 'read:files');
  if (!mayReadTasks) links.denied('task_artifact', null);
  const usedTasks = tasks.filter(
    ({ task_id: id, status }) => mayReadTasks && isReadable('task_artifact', taskPath(id, status)),
  );
  const usedCapsules = capsules.filter(({ state, path }) => isReadable(CLASSES[state], path));
  if (usedTasks.length + usedCapsules.length === 0) {
    const { id, subject_id } = anchor;
    const notFound = warning('graph_anchor_not_found', { anchor_id: id, kind, subject_id });
    return emptySection(caps, links.warnings.length > 0 ? links.warnings : [notFound]);
  }
  for (const task of usedTasks) linkTask(links, task, kind);
  for (const { capsule } of usedCapsules) linkCapsule(links, caller, capsule, kind);
  return linkedSection(caps, links);
}

/** Those whose id is spelled exactly so. */
async function capsulesOf(
  reader: Reader,
  ownerId: string,
  kind: 'thread' | 'task',
  id: string,
): Promise<KeptCapsule[]> {
  const slug = slugOf(id);
  const kept = slug === '' ? [] : await subjectCapsules(reader, ownerId, { kind, id, slug });
  return kept.filter(({ capsule }) => capsule.subject_id === id);
}

const CLASSES = {
  active: 'continuity_capsule',
  fallback: 'fallback_artifact',
  archived: 'archive_artifact',
} as const;

function linkTask(links: Links, task: Task, kind: 'thread' | 'task'): void {
  const node = nodeOf('task', task.task_id);
  links.add('linked_to_thread', node, nodeOf('thread', task.thread_id ?? ''));
  if (kind === 'thread') return;
  for (const blocker of task.blocked_by) links.add('depends_on', node, nodeOf('task', blocker));
}

function linkCapsule(
  links: Links,
  caller: Caller,
  capsule: KeptCapsule['capsule'],
  kind: 'thread' | 'task',
): void {
  for (const { path } of capsule.continuity.related_documents ?? []) {
    if (mayRead(caller, path)) links.add('references_document', links.anchor, nodeOf('document', path));
    else links.denied('related_document', safePath(path));
  }
  links.add('supersedes', nodeOf(kind, capsule.thread_descriptor?.superseded_by ?? ''), links.anchor);
}

/** A path that leads outside is not told back. */
const safePath = (path: string): string | null =>
  path.startsWith('/') || path.split('/').includes('..') ? null : path;
