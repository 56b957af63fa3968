import type { CreateTaskRequest } from '@parley/protocol/knowledge/requests';
import type { TaskStatus } from '@parley/protocol/knowledge/vocabulary';

/** As it is told, and as it lies under its path. */
export interface Task extends Omit<CreateTaskRequest, 'commit_message'> {
  readonly created_at: string;
  readonly updated_at: string;
}

/** Where a task stands on the wire, though it is a row. */
export const taskPath = (id: string, status: TaskStatus): string =>
  `tasks/${status === 'done' ? 'done' : 'open'}/${id}.json`;

export const taskText = (task: Task): string => `${JSON.stringify(task, undefined, 2)}\n`;
