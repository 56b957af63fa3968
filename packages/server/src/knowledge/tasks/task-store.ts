import type { Task } from '@parley/protocol/knowledge/answers';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { pages } from '../../platform/database/pages.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';
import { columnText } from '../../continuity/artifacts/artifact.ts';

const tasks = table('knowledge_tasks', {
  owner_id: column<string>(),
  task_id: column<string>(),
  status: column<string>(),
  owner_peer: column<string>(),
  thread_id: column<string | null>(),
  /** Cut to the second, as it is told: lists are in the order that callers see. */
  created_at: column<number>(),
  updated_at: column<number>(),
  /** JSON. */
  task: column<string>(),
});

const told = tasks.pick('task_id', 'updated_at', 'task');
type ToldRow = RowOf<typeof told>;

const taskOf = ({ task }: Pick<ToldRow, 'task'>): Task => JSON.parse(task) as Task;

export async function findTask(reader: Reader, ownerId: string, id: string): Promise<Task | undefined> {
  const row = await reader.get<ToldRow>(told.select`WHERE owner_id = ${ownerId} AND task_id = ${id}`);
  // An id that the store could not keep as it is, is nobody's.
  return row?.task_id === id ? taskOf(row) : undefined;
}

const put = tasks.upsert('owner_id', 'task_id');

export async function putTask(tx: Tx, ownerId: string, task: Task): Promise<void> {
  await tx.run(
    put({
      owner_id: ownerId,
      task_id: task.task_id,
      status: task.status,
      owner_peer: columnText(task.owner_peer),
      thread_id: task.thread_id === null ? null : columnText(task.thread_id),
      created_at: Date.parse(task.created_at),
      updated_at: Date.parse(task.updated_at),
      task: JSON.stringify(task),
    }),
  );
}

const PAGE = 500;

/** What the columns of a task may be asked for. */
export type TaskFilter = Readonly<Partial<Record<'status' | 'owner_peer' | 'thread_id', string | undefined>>>;

/** Tasks of which the columns say what is asked for, the last changed first. */
export async function* newestTasks(
  reader: Reader,
  ownerId: string,
  filter: TaskFilter,
): AsyncGenerator<Task> {
  let matching = tasks.from(reader).where('owner_id', '=', ownerId);
  for (const name of ['status', 'owner_peer', 'thread_id'] as const) {
    const value = filter[name];
    if (value !== undefined) matching = matching.where(name, '=', columnText(value));
  }
  const all = pages<ToldRow>(PAGE, (end) =>
    matching
      .select(['task_id', 'updated_at', 'task'])
      .where((where) => {
        const before = where.tuple(end?.updated_at ?? Number.MAX_SAFE_INTEGER, end?.task_id ?? '');
        return where(where.refTuple('updated_at', 'task_id'), '<', before);
      })
      .orderBy('updated_at', 'desc')
      .orderBy('task_id', 'desc')
      .limit(PAGE)
      .execute(),
  );
  // One by one: whoever has enough does not wait for the rest of the page to be read.
  for await (const rows of all) for (const row of rows) yield taskOf(row);
}

/** Tasks as far as their rows can be read. */
export interface ReadableTasks {
  readonly tasks: readonly Task[];
  /** Rows that somebody has damaged. */
  readonly damaged: number;
}

/** By the exact spelling of the thread. */
export async function tasksOfThread(
  reader: Reader,
  ownerId: string,
  threadId: string,
): Promise<ReadableTasks> {
  const read = readable(
    await reader.all<ToldRow>(told.select`
      WHERE owner_id = ${ownerId} AND thread_id = ${columnText(threadId)} ORDER BY task_id`),
  );
  return { ...read, tasks: read.tasks.filter((task) => task.thread_id === threadId) };
}

/** The task of an id, if there is one. */
export async function tasksOfId(reader: Reader, ownerId: string, id: string): Promise<ReadableTasks> {
  const rows = await reader.all<ToldRow>(told.select`WHERE owner_id = ${ownerId} AND task_id = ${id}`);
  return readable(rows.filter((row) => row.task_id === id));
}

function readable(rows: readonly ToldRow[]): ReadableTasks {
  const read = rows.map(taskOrUndefined).filter((task) => task !== undefined);
  return { tasks: read, damaged: rows.length - read.length };
}

function taskOrUndefined(row: ToldRow): Task | undefined {
  try {
    const task = taskOf(row);
    return task.task_id === row.task_id && Array.isArray(task.blocked_by) ? task : undefined;
  } catch {
    return undefined;
  }
}
