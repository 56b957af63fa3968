import type { AppendRequest, WriteRequest } from '@parley/protocol/knowledge/requests';
import { requireScope, requireWrite } from '../../continuity/access.ts';
import { latestCommit } from '../../continuity/artifacts/commit-id.ts';
import { fileText } from '../../continuity/artifacts/record-file.ts';
import { requireRoom } from '../../continuity/documents-budget.ts';
import type { Caller } from '../../wire/caller.ts';
import { conflict } from '../../wire/memory/errors.ts';
import { changeBy, type KnowledgeContext, type FileAction, writeOwner } from '../knowledge-context.ts';
import { extendFile, requireSmall } from './extend-file.ts';
import { isManaged, managed, requirePath, writeScope } from './path.ts';
import { findPlace, type FilePlace } from './place-store.ts';
import { saveFile } from './save-file.ts';

/** Stores a text under a path, whole. */
export const write: FileAction<WriteRequest> = async (knowledge, { caller, body }) =>
  await save(knowledge, caller, body, 'documents.write', { textAfter: () => body.content });

/** Adds an object as one line. */
export const append: FileAction<AppendRequest> = async (knowledge, { caller, body }) => {
  const line = `${JSON.stringify(body.record)}\n`;
  return await save(knowledge, caller, body, 'documents.append', {
    line,
    textAfter: (path, before = '') => {
      const text = before === '' || before.endsWith('\n') ? before + line : `${before}\n${line}`;
      requireSmall(path, Buffer.byteLength(text));
      return text;
    },
  });
};

/** The path a caller may write to. */
function requireWritable(caller: Caller, given: string): string {
  const path = requirePath(given);
  requireScope(caller, writeScope(path));
  requireWrite(caller, path);
  if (isManaged(path)) throw managed(path);
  return path;
}

interface Change {
  /** That is added, where that is all that happens. */
  readonly line?: string;
  readonly textAfter: (path: string, before: string | undefined) => string;
}

async function save(
  knowledge: KnowledgeContext,
  caller: Caller,
  { path: given, commit_message: message }: Pick<WriteRequest, 'path' | 'commit_message'>,
  operation: 'documents.write' | 'documents.append',
  { line, textAfter }: Change,
): Promise<object> {
  const path = requireWritable(caller, given);
  const { ownerId } = caller;
  const { documents, documentBytes } = knowledge.memory;
  const recorded = { ...changeBy(knowledge, caller, operation, path, message), path };
  const answer = await writeOwner(knowledge, ownerId, async (tx) => {
    const place = await findPlace(tx, ownerId, path);
    const { replaced } = place;
    if (line !== undefined) await requireRoom(documentBytes, tx, ownerId, Buffer.byteLength(line));
    const extended = line === undefined ? undefined : await extendFile(tx, place, line, recorded);
    if (extended) return { committed: true, latest_commit: extended.commit };
    // Nobody replaces it while the owner's lock is held.
    const before = replaced && (await fileText(tx, replaced.revision_id));
    const text = textAfter(path, before);
    if (text === before) return { committed: false, latest_commit: await latestCommit(tx, ownerId) };
    if (line === undefined) {
      await requireRoom(documentBytes, tx, ownerId, Buffer.byteLength(text) - (replaced?.size ?? 0));
    }
    if (!replaced) {
      requirePlace(place, path);
      await requireRoom(documents, tx, ownerId);
    }
    const { commit } = await saveFile(tx, { ...recorded, text, place });
    return { committed: true, latest_commit: commit };
  });
  knowledge.audit(caller, operation.slice('documents.'.length), { path, committed: answer.committed });
  return { ok: true, path, ...answer };
}

/** A name is a document or a folder, never both: memory is exported to folders of files. */
function requirePlace({ above, isFolder }: FilePlace, path: string): void {
  if (above !== undefined) throw conflict(`A document is in the way: ${above}`);
  if (isFolder || !path.includes('/')) throw conflict(`Path is a folder: ${path}`);
}
