import type { Task } from '@parley/protocol/knowledge/answers';
import type { TaskStatus } from '@parley/protocol/knowledge/vocabulary';

/** Where a task stands on the wire, though it is a row. */
export const taskPath = (id: string, status: TaskStatus): string =>
  `tasks/${status === 'done' ? 'done' : 'open'}/${id}.json`;

export const taskText = (task: Task): string => `${JSON.stringify(task, undefined, 2)}\n`;
