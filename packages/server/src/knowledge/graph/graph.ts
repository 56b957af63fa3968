import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { hasScope } from '@parley/protocol/identity/scopes';
import { mayRead } from '../../continuity/access.ts';
import { slugOf } from '../../continuity/capsule/subject.ts';
import { type KeptCapsule, subjectCapsules } from '../../continuity/read/subject-capsules.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { Caller } from '../../wire/caller.ts';
import type { KnowledgeContext } from '../knowledge-context.ts';
import { type Task, taskPath } from '../tasks/task.ts';
import { tasksOfId, tasksOfThread } from '../tasks/task-store.ts';
import { Links } from './links.ts';
import { type GraphNode, nodeOf } from './node.ts';
import { type Caps, emptySection, type GraphSection, linkedSection } from './section.ts';
import { derivationFailed, malformed, notFound, notSupported, type SourceClass } from './warnings.ts';

/*
 * What is one step away from a thread or a task, by links that somebody wrote down: tasks and their threads, what blocks a task,
 * the documents capsules point at, and what came after a subject. Ids are taken as they are written.
 */

export interface Anchor {
  readonly kind: SubjectKind;
  readonly id: string;
}

/** The section for an anchor. Whatever goes wrong with it is told in it, and nowhere else. */
export async function graphOf(
  knowledge: KnowledgeContext,
  caller: Caller,
  { kind, id }: Anchor,
  caps: Caps,
): Promise<GraphSection> {
  if (kind !== 'thread' && kind !== 'task') return emptySection(caps, [notSupported(kind)]);
  try {
    return await derived(knowledge, caller, nodeOf(kind, id), kind, caps);
  } catch (error) {
    knowledge.onError(error);
    return emptySection(caps, [derivationFailed()]);
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
  if (damaged > 0) links.warnings.push(malformed(kind === 'thread' ? 'nodes' : 'anchors', damaged));
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
    return emptySection(caps, links.warnings.length > 0 ? links.warnings : [notFound(anchor)]);
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
