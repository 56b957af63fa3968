import type { AppendRequest, WriteRequest } from '@parley/protocol/knowledge/requests';
import { DOCUMENT_BYTES } from '@parley/protocol/knowledge/limits';
import { peerIdOf, requireScope, requireWrite } from '../../continuity/access.ts';
import { cut } from '../../continuity/answers.ts';
import { latestCommit } from '../../continuity/artifacts/commit-id.ts';
import { fileText } from '../../continuity/artifacts/record-file.ts';
import { requireRoom } from '../../continuity/documents-budget.ts';
import type { Caller } from '../../wire/caller.ts';
import { conflict, DetailError, forbidden } from '../../wire/memory/errors.ts';
import type { KnowledgeCall } from '../call.ts';
import { type KnowledgeContext, writeOwner } from '../knowledge-context.ts';
import { isManaged, requirePath, writeScope } from './path.ts';
import { findPlace, type Place } from './place-store.ts';
import { saveFile } from './save-file.ts';

/** Stores a text under a path, whole. */
export async function write(
  knowledge: KnowledgeContext,
  { caller, body }: KnowledgeCall<WriteRequest>,
): Promise<object> {
  const path = requireWritable(caller, body.path);
  const answer = await save(
    knowledge,
    caller,
    path,
    'documents.write',
    body.commit_message,
    () => body.content,
  );
  return { ok: true, path, ...answer };
}

/** Adds an object as one line. */
export async function append(
  knowledge: KnowledgeContext,
  { caller, body }: KnowledgeCall<AppendRequest>,
): Promise<object> {
  const path = requireWritable(caller, body.path);
  const line = `${JSON.stringify(body.record)}\n`;
  const answer = await save(
    knowledge,
    caller,
    path,
    'documents.append',
    body.commit_message,
    (before = '') => {
      const text = before === '' || before.endsWith('\n') ? before + line : `${before}\n${line}`;
      if (Buffer.byteLength(text) > DOCUMENT_BYTES) {
        throw new DetailError(413, `Document too large: ${path} would exceed ${DOCUMENT_BYTES} bytes`);
      }
      return text;
    },
  );
  return { ok: true, path, ...answer };
}

/** The path a caller may write to. */
function requireWritable(caller: Caller, given: string): string {
  const path = requirePath(given);
  requireScope(caller, writeScope(path));
  requireWrite(caller, path);
  if (isManaged(path)) throw forbidden(`Path is managed by the server: ${path}`);
  return path;
}

async function save(
  knowledge: KnowledgeContext,
  caller: Caller,
  path: string,
  operation: 'documents.write' | 'documents.append',
  message: string | null | undefined,
  textAfter: (before: string | undefined) => string,
): Promise<{ committed: boolean; latest_commit: string | null }> {
  const { ownerId } = caller;
  const now = knowledge.clock.now();
  const answer = await writeOwner(knowledge, ownerId, async (tx) => {
    const place = await findPlace(tx, knowledge.database.dialect, ownerId, path);
    const { replaced } = place;
    // Nobody replaces it while the owner's lock is held.
    const before = replaced && (await fileText(tx, replaced.revision_id));
    const text = textAfter(before);
    if (text === before) return { committed: false, latest_commit: await latestCommit(tx, ownerId) };
    if (!replaced) {
      requirePlace(place, path);
      await requireRoom(knowledge.memory, tx, ownerId);
    }
    const { commit } = await saveFile(knowledge, tx, {
      ownerId,
      path,
      text,
      operation,
      now,
      peerId: peerIdOf(caller),
      commitMessage: message ? cut(message, 512) : `${operation.replace('.', ': ')} ${path}`,
      place,
    });
    return { committed: true, latest_commit: commit };
  });
  knowledge.audit.note(caller, operation.slice('documents.'.length), { path, committed: answer.committed });
  return answer;
}

/** A name is a document or a folder, never both: memory is exported to folders of files. */
function requirePlace({ above, isFolder }: Place, path: string): void {
  if (above !== undefined) throw conflict(`A document is in the way: ${above}`);
  if (isFolder || !path.includes('/')) throw conflict(`Path is a folder: ${path}`);
}
