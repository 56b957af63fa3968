import type { Task } from '@parley/protocol/knowledge/answers';
import type { Tx } from '../../platform/database/database.ts';
import { findPlace } from '../documents/place-store.ts';
import { type FileWrite, saveFile } from '../documents/save-file.ts';
import { taskPath, taskText } from './task.ts';
import { putTask } from './task-store.ts';

/** A task and the file it lies in, in place of what it was. Returns how callers name the change. */
export async function saveTask(
  tx: Tx,
  task: Task,
  before: Task | undefined,
  write: Pick<FileWrite, 'ownerId' | 'operation' | 'now' | 'peerId' | 'commitMessage'>,
): Promise<string> {
  const path = taskPath(task.task_id, task.status);
  const from = before && taskPath(before.task_id, before.status);
  await putTask(tx, write.ownerId, task);
  const { commit } = await saveFile(tx, {
    ...write,
    path,
    name: `tasks/${task.task_id}`,
    text: taskText(task),
    place: await findPlace(tx, write.ownerId, path),
    movedFrom: from === path ? undefined : from,
  });
  return commit;
}
