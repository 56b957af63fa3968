import type { Task } from '@parley/protocol/knowledge/answers';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { ChangeTaskRequest, CreateTaskRequest, TasksQuery } from '@parley/protocol/knowledge/requests';
import type { TaskStatus } from '@parley/protocol/knowledge/vocabulary';
import { requireRead, requireWrite } from '../../continuity/access.ts';
import { requireRoom } from '../../continuity/documents-budget.ts';
import { conflict, notFound } from '../../wire/memory/errors.ts';
import { changeBy, type FileAction, writeOwner } from '../knowledge-context.ts';
import { saveTask } from './save-task.ts';
import { taskPath } from './task.ts';
import { findTask, newestTasks } from './task-store.ts';

/*
 * from          to
 * open          open, in_progress, blocked, done
 * in_progress   open, in_progress, blocked, done
 * blocked       open, in_progress, blocked, done
 * done          done
 */
const mayBecome = (from: TaskStatus, to: TaskStatus): boolean => from !== 'done' || to === 'done';

export const createTask: FileAction<CreateTaskRequest> = async (knowledge, { caller, body }) => {
  const { commit_message: message, ...fields } = body;
  const path = taskPath(body.task_id, body.status);
  requireWrite(caller, path);
  const at = isoSeconds(knowledge.clock.now());
  const task: Task = { ...fields, created_at: at, updated_at: at };
  const commit = await writeOwner(knowledge, caller.ownerId, async (tx) => {
    if (await findTask(tx, caller.ownerId, task.task_id)) {
      throw conflict(`Task already exists: ${task.task_id}`);
    }
    await requireRoom(knowledge.memory.documents, tx, caller.ownerId);
    const write = changeBy(knowledge, caller, 'tasks.create', task.task_id, message);
    return await saveTask(tx, task, undefined, write);
  });
  knowledge.audit(caller, 'task_create', { path });
  return { ok: true, task, path, committed: true, latest_commit: commit };
};

export const changeTask: FileAction<ChangeTaskRequest> = async (knowledge, { caller, body, params }) => {
  const { ownerId } = caller;
  const id = params.task_id ?? '';
  const { commit_message: message, ...fields } = body;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
  const now = knowledge.clock.now();
  const answer = await writeOwner(knowledge, ownerId, async (tx) => {
    const before = await findTask(tx, ownerId, id);
    const from = taskPath(id, before?.status ?? 'open');
    requireWrite(caller, from);
    if (!before) throw notFound(`Task not found: ${id}`);
    const task: Task = { ...before, ...given, updated_at: isoSeconds(now) };
    if (!mayBecome(before.status, task.status)) {
      throw conflict(`Invalid task status transition: ${before.status} -> ${task.status}`);
    }
    const path = taskPath(id, task.status);
    requireWrite(caller, path);
    const write = changeBy(knowledge, caller, 'tasks.update', id, message);
    const commit = await saveTask(tx, task, before, write);
    return { task, path, committed_files: path === from ? [path] : [path, from], latest_commit: commit };
  });
  knowledge.audit(caller, 'task_update', { path: answer.path });
  return { ok: true, ...answer };
};

export const queryTasks: FileAction<undefined, TasksQuery> = async (
  { database, audit },
  { caller, query },
) => {
  requireRead(caller, taskPath('x', 'open'));
  requireRead(caller, taskPath('x', 'done'));
  const tasks: Task[] = [];
  for await (const task of newestTasks(database.read, caller.ownerId, query)) {
    if (matches(task, query)) tasks.push(task);
    if (tasks.length === query.limit) break;
  }
  audit(caller, 'task_query', { count: tasks.length });
  return { ok: true, count: tasks.length, tasks };
};

function matches(task: Task, { status, owner_peer, collaborator, thread_id }: TasksQuery): boolean {
  return (
    (status === undefined || task.status === status) &&
    (owner_peer === undefined || task.owner_peer === owner_peer) &&
    (collaborator === undefined || task.collaborators.includes(collaborator)) &&
    (thread_id === undefined || task.thread_id === thread_id)
  );
}
