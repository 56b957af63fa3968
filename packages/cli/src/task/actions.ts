import * as routes from '@parley/protocol/knowledge/routes';
import type { TaskStatus } from '@parley/protocol/knowledge/vocabulary';
import type { Task, TaskAnswer, TasksAnswer } from '@parley/protocol/knowledge/answers';
import { MemoryError } from '@parley/sdk/memory/memory-error';
import type { RouteCaller } from '@parley/sdk/route-caller';
import { CliError, EXIT } from '../cli-error.ts';
import type { Page } from '../memory/page.ts';
import {
  type MemoryCommandOptions,
  peerIdOf,
  printView,
  shown,
  withCaller,
} from '../memory/server-memory.ts';
import { showTable } from '../memory/table.ts';
import { moment, nameOf } from '../memory/words.ts';
import { printJson } from '../output.ts';
import { theOne } from '../the-one.ts';

interface FieldOptions extends MemoryCommandOptions {
  description?: string | undefined;
  owner?: string | undefined;
  with?: string[] | undefined;
  thread?: string | undefined;
  blockedBy?: string[] | undefined;
  due?: string | undefined;
  message?: string | undefined;
}

const fieldsOf = (options: FieldOptions): object => ({
  description: options.description,
  collaborators: options.with,
  thread_id: options.thread,
  blocked_by: options.blockedBy,
  due_at: options.due,
  commit_message: options.message,
});

export async function add(id: string, title: string, options: FieldOptions): Promise<void> {
  await withCaller(options, async (caller) => {
    const owner = options.owner ?? (await peerIdOf(caller));
    const body = { task_id: id, title, owner_peer: owner, ...fieldsOf(options) };
    await shown<TaskAnswer>(caller, routes.createTask, { body }, options, showAnswer);
  });
}

export interface ListOptions extends MemoryCommandOptions {
  status?: TaskStatus | undefined;
  owner?: string | undefined;
  with?: string | undefined;
  thread?: string | undefined;
  limit?: number | undefined;
}

export async function list(options: ListOptions): Promise<void> {
  const { status, owner, with: helper, thread, limit } = options;
  const query = { status, owner_peer: owner, collaborator: helper, thread_id: thread, limit };
  await withCaller(options, (caller) =>
    shown<TasksAnswer>(caller, routes.queryTasks, { query }, options, showTasks, ({ tasks }) => tasks),
  );
}

function showTasks(page: Page, { tasks }: TasksAnswer): void {
  if (tasks.length === 0) return page.aside('No tasks.');
  showTable(
    page,
    [
      { title: 'ID', rank: 0 },
      { title: 'STATUS', rank: 1 },
      { title: 'OWNER', rank: 3 },
      { title: 'THREAD', rank: 4 },
      { title: 'CHANGED', rank: 5 },
      { title: 'WAITS FOR', rank: 6, least: 10 },
      { title: 'TITLE', rank: 2, least: 16 },
    ],
    tasks.map((task) => ({
      cells: [
        { text: task.task_id },
        { text: nameOf(task.status), raw: task.status, style: task.status === 'done' ? 'dim' : undefined },
        { text: task.owner_peer },
        { text: task.thread_id ?? '' },
        moment(task.updated_at),
        { text: task.blocked_by.join(', ') },
        { text: task.title },
      ],
    })),
  );
}

export async function show(id: string, options: MemoryCommandOptions): Promise<void> {
  await withCaller(options, async (caller) => {
    const task = await named(caller, id);
    if (options.json) return printJson(task);
    printView((page) => showTask(page, task));
  });
}

export async function change(
  id: string,
  options: FieldOptions & { title?: string | undefined; status?: TaskStatus | undefined },
): Promise<void> {
  const { title, status, owner } = options;
  await update(id, { title, status, owner_peer: owner, ...fieldsOf(options) }, options);
}

export const move = (id: string, status: TaskStatus, options: MemoryCommandOptions): Promise<void> =>
  update(id, { status }, options);

async function update(id: string, body: object, options: MemoryCommandOptions): Promise<void> {
  await withCaller(options, async (caller) => {
    const { task_id: found } = await named(caller, id);
    if (Object.values(body).every((value) => value === undefined)) throw NOTHING_TO_CHANGE;
    await shown<TaskAnswer>(caller, routes.changeTask, { path: [found], body }, options, showAnswer);
  });
}

const NOTHING_TO_CHANGE = new CliError('usage', 'parley: nothing to change', {
  exitCode: EXIT.misuse,
  hint: '"parley task change --help" shows what can be',
});

const showAnswer = (page: Page, { task }: TaskAnswer): void => showTask(page, task);

function showTask(page: Page, task: Task): void {
  page.line([{ text: task.task_id, style: 'bold' }, { text: `  ${nameOf(task.status)}` }]);
  page.text({ text: task.title });
  if (task.description !== '') page.text({ text: task.description });
  const facts: readonly (readonly [string, string])[] = [
    ['Owner', task.owner_peer],
    ['Helping', task.collaborators.join(', ')],
    ['Thread', task.thread_id ?? ''],
    ['Waits for', task.blocked_by.join(', ')],
    ['Due', task.due_at ?? ''],
    ['Changed', task.updated_at],
  ];
  for (const [name, text] of facts) if (text !== '') page.fact(name, { text }, 9);
}

/** One by its id, or by a beginning that no other has. */
async function named(caller: RouteCaller, id: string): Promise<Task> {
  for (const folder of ['open', 'done']) {
    const query = { path: `tasks/${folder}/${id}.json` };
    const found = await caller.call(routes.read, { query }).catch(unlessUnknown);
    // A task reads as the JSON it is answered with.
    if (found) return JSON.parse(found.content) as Task;
  }
  const { tasks } = await caller.call(routes.queryTasks, { query: { limit: 500 } });
  return theOne(id, {
    noun: 'task',
    among: tasks,
    idOf: (task) => task.task_id,
    hint: '"parley task list" shows what there is',
  });
}

/** A name that is no path is none of an id either. */
function unlessUnknown(error: unknown): undefined {
  if (error instanceof MemoryError && [400, 403, 404].includes(error.status)) return undefined;
  throw error;
}
