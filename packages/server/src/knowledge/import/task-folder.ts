import type { Task } from '@parley/protocol/knowledge/answers';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { createTaskRequest } from '@parley/protocol/knowledge/requests';
import { type ForeignFolder, jsonDocument } from '../../continuity/import/foreign-folder.ts';
import { instantOrUndefined } from '../../continuity/capsule/instant.ts';
import type { Journal } from '../../continuity/journal.ts';
import { compiled } from '../../platform/http/schema.ts';
import { ownerLock } from '../knowledge-context.ts';
import { saveTask } from '../tasks/save-task.ts';
import { taskText } from '../tasks/task.ts';
import { findTask } from '../tasks/task-store.ts';

/** Tasks as they lie in a folder. One that says another status than that of its place is where it says it is. */
export function taskFolder(journal: Journal): ForeignFolder {
  return {
    folder: 'tasks',
    common: true,
    holds: (path) => /^tasks\/(open|done)\/[^/]+\.json$/.test(path),
    read:
      (_path, bytes) =>
      async (tx, { ownerId, peerId, now, once }) => {
        const task = taskIn(bytes, now);
        if (typeof task === 'string') return { kind: 'refused', error: task };
        await tx.lock(ownerLock(ownerId));
        const before = await findTask(tx, ownerId, task.task_id);
        if (before && once) return { kind: 'known' };
        if (before && taskText(before) === taskText(task)) return { kind: 'unchanged' };
        const commitMessage = `tasks: import ${task.task_id}`;
        const write = { ownerId, now, peerId, operation: 'documents.import', commitMessage } as const;
        await saveTask(tx, task, before, write);
        journal.changed(tx, ownerId);
        return { kind: 'taken' };
      },
  };
}

const check = compiled(createTaskRequest);

/** What is wrong with it, where it is none. */
function taskIn(bytes: Uint8Array, now: number): Task | string {
  const document = jsonDocument(bytes);
  if (!document) return 'not the JSON of a task';
  const { value } = document;
  const result = check(value);
  if (!result.success) return `not a task: ${result.error.issues[0]?.message ?? ''}`;
  const { commit_message: _message, ...fields } = result.data;
  const at = (said: unknown): string => {
    const instant = typeof said === 'string' ? instantOrUndefined(said) : undefined;
    return isoSeconds(instant?.floorMs ?? now);
  };
  return { ...fields, created_at: at(value.created_at), updated_at: at(value.updated_at) };
}
