import { createTaskRequest } from '@parley/protocol/knowledge/requests';
import {
  type FolderDocument,
  readDocument,
  UnreadableDocument,
} from '../../continuity/import/import-folder.ts';
import { fileText } from '../../continuity/artifacts/record-file.ts';
import { instantOrUndefined, wholeSeconds } from '../../continuity/capsule/instant.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { compiled } from '../../platform/http/schema.ts';
import { DetailError } from '../../wire/memory/errors.ts';
import { requirePath } from '../documents/path.ts';
import { findPlace } from '../documents/place-store.ts';
import { type FileWrite, saveFile } from '../documents/save-file.ts';
import { ownerLock } from '../knowledge-context.ts';
import { type Task, taskPath, taskText } from '../tasks/task.ts';
import { findTask, putTask } from '../tasks/task-store.ts';
import { documentsIn } from './document-folder.ts';

export interface DocumentImport {
  readonly database: Database;
  readonly clock: Clock;
  readonly ownerId: string;
  readonly peerId: string;
  readonly directory: string;
  /** Leaves alone what is there already, whatever it says: a restart does not undo what agents wrote since. */
  readonly once: boolean;
}

export interface DocumentImportReport {
  readonly imported: readonly string[];
  /** Exactly that was there already. */
  readonly unchanged: number;
  /** Something was there already, and stays. */
  readonly known: number;
  readonly refused: readonly { readonly path: string; readonly error: string }[];
}

type Outcome = 'imported' | 'unchanged' | 'known';

/** Takes over the documents and tasks of a folder, one write for each. */
export async function importDocuments(options: DocumentImport): Promise<DocumentImportReport> {
  const imported: string[] = [];
  const refused: { path: string; error: string }[] = [];
  const counts = { unchanged: 0, known: 0 };
  for await (const document of documentsIn(options.directory)) {
    try {
      const outcome = await take(options, document);
      if (outcome === 'imported') imported.push(document.path);
      else counts[outcome] += 1;
    } catch (error) {
      if (!(error instanceof UnreadableDocument) && !(error instanceof DetailError)) throw error;
      refused.push({ path: document.path, error: error.message });
    }
  }
  return { imported, ...counts, refused };
}

async function take(options: DocumentImport, document: FolderDocument): Promise<Outcome> {
  const { database, clock, ownerId, peerId, once } = options;
  const path = requirePath(document.path);
  const text = textOf(await readDocument(document));
  const now = clock.now();
  const task = path.startsWith('tasks/') ? taskOf(text, now) : undefined;
  return await database.write(async (tx) => {
    await tx.lock(ownerLock(ownerId));
    const write = { ownerId, now, peerId, operation: 'documents.import' as const };
    if (task) return await takeTask(tx, database, write, task, once);
    const place = await findPlace(tx, database.dialect, ownerId, path);
    const { replaced } = place;
    if (replaced && once) return 'known';
    if (replaced && (await fileText(tx, replaced.revision_id)) === text) return 'unchanged';
    const commitMessage = `documents: import ${path}`;
    await saveFile({ database }, tx, { ...write, path, text, commitMessage, place });
    return 'imported';
  });
}

async function takeTask(
  tx: Tx,
  database: Database,
  write: Pick<FileWrite, 'ownerId' | 'now' | 'peerId' | 'operation'>,
  task: Task,
  once: boolean,
): Promise<Outcome> {
  const { ownerId } = write;
  const before = await findTask(tx, ownerId, task.task_id);
  if (before && once) return 'known';
  if (before && taskText(before) === taskText(task)) return 'unchanged';
  const path = taskPath(task.task_id, task.status);
  const from = before && taskPath(before.task_id, before.status);
  await putTask(tx, ownerId, task);
  await saveFile({ database }, tx, {
    ...write,
    path,
    name: `tasks/${task.task_id}`,
    text: taskText(task),
    commitMessage: `tasks: import ${task.task_id}`,
    place: await findPlace(tx, database.dialect, ownerId, path),
    movedFrom: from === path ? undefined : from,
  });
  return 'imported';
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  try {
    return STRICT.decode(bytes);
  } catch {
    throw new UnreadableDocument('not UTF-8 text');
  }
}

const check = compiled(createTaskRequest);

function taskOf(text: string, now: number): Task {
  const value = parsed(text);
  const result = check(value);
  if (!result.success) throw new UnreadableDocument(`not a task: ${result.error.issues[0]?.message ?? ''}`);
  const { commit_message: _message, ...fields } = result.data;
  const at = (name: 'created_at' | 'updated_at'): string => {
    const said =
      typeof value === 'object' && value !== null && name in value ? value[name as never] : undefined;
    const instant = typeof said === 'string' ? instantOrUndefined(said) : undefined;
    return wholeSeconds(instant?.floorMs ?? now);
  };
  return { ...fields, created_at: at('created_at'), updated_at: at('updated_at') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableDocument('not JSON');
  }
}
