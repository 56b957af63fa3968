import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCUMENT_FOLDERS } from '@parley/protocol/knowledge/vocabulary';
import type { FolderDocument } from '../../continuity/import/import-folder.ts';
import { isManaged } from '../documents/path.ts';

/** Documents and tasks below a folder, in the order of their names. Links are not followed. */
export async function* documentsIn(directory: string): AsyncGenerator<FolderDocument> {
  const root = await realpath(directory);
  for (const folder of DOCUMENT_FOLDERS.toSorted()) {
    if (folder === 'tasks') for (const each of ['tasks/done', 'tasks/open']) yield* walk(root, each);
    else if (!isManaged(folder)) yield* walk(root, folder);
  }
}

async function* walk(root: string, folder: string): AsyncGenerator<FolderDocument> {
  if (!(await isFolder(join(root, folder)))) return;
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    const isTask = folder.startsWith('tasks/') && entry.name.endsWith('.json');
    if (isManaged(path) && !isTask) continue;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (entry.isFile()) yield { path, file: join(root, path) };
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    return false;
  }
}
