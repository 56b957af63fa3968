import { requireRead } from '../../continuity/access.ts';
import { FOLDER } from '../../continuity/artifacts/paths.ts';
import { artifactText } from '../../continuity/read/artifact-text.ts';
import type { Reader } from '../../platform/database/database.ts';
import { notFound } from '../../wire/memory/errors.ts';
import type { FileAction } from '../knowledge-context.ts';
import { isManaged, requirePath } from './path.ts';
import { textOfFile } from './save-file.ts';

/** What is under a path: a document, a task, or a capsule as it is kept. */
export const read: FileAction<undefined, { readonly path: string }> = async (
  { database, audit },
  { caller, query },
) => {
  const path = requirePath(query.path);
  requireRead(caller, path);
  const content = await contentAt(database.read, caller.ownerId, path);
  if (content === undefined) throw notFound('File not found');
  audit(caller, 'read', { path });
  return { ok: true, path, content };
};

/** Of what the server keeps for itself, tasks and capsules alone are shown. */
function contentAt(reader: Reader, ownerId: string, path: string): Promise<string | undefined> {
  if (path.startsWith(`${FOLDER}/`)) return artifactText(reader, ownerId, path);
  if (isManaged(path) && !path.startsWith('tasks/')) return Promise.resolve(undefined);
  return textOfFile(reader, ownerId, path);
}
