import { isUtf8 } from 'node:buffer';
import { DOCUMENT_FOLDERS } from '@parley/protocol/knowledge/vocabulary';
import type { ForeignFolder, ForeignOutcome, Taking } from '../../continuity/import/foreign-folder.ts';
import { fileText } from '../../continuity/artifacts/record-file.ts';
import type { Journal } from '../../continuity/journal.ts';
import type { Tx } from '../../platform/database/database.ts';
import { isManaged, keyOf } from '../documents/path.ts';
import { findPlace } from '../documents/place-store.ts';
import { saveFile } from '../documents/save-file.ts';
import { ownerLock } from '../knowledge-context.ts';

/** Documents as they lie in folders. What cannot be a document is refused by itself: among texts there may be anything. */
export const documentFolders = (journal: Journal): readonly ForeignFolder[] =>
  DOCUMENT_FOLDERS.filter((folder) => !isManaged(folder)).map((folder) => ({
    folder,
    common: true,
    holds: () => true,
    skips: isManaged,
    read: (path, bytes) => async (tx, of) => {
      if (!isUtf8(bytes)) return { kind: 'refused', error: 'not UTF-8 text' };
      const { key, fault } = keyOf(path);
      if (key === undefined) return { kind: 'refused', error: fault };
      await tx.lock(ownerLock(of.ownerId));
      const outcome = await takeDocument(tx, key, Buffer.from(bytes).toString(), of);
      if (outcome.kind === 'taken') journal.changed(tx, of.ownerId);
      return outcome;
    },
  }));

async function takeDocument(
  tx: Tx,
  path: string,
  text: string,
  { ownerId, peerId, now, once }: Taking,
): Promise<ForeignOutcome> {
  const place = await findPlace(tx, ownerId, path);
  const { replaced, above, isFolder } = place;
  if (replaced && once) return { kind: 'known' };
  if (replaced && (await fileText(tx, replaced.revision_id)) === text) return { kind: 'unchanged' };
  if (above !== undefined) return { kind: 'refused', error: `a document is in the way: ${above}` };
  if (isFolder) return { kind: 'refused', error: 'a folder of that name is there' };
  const commitMessage = `documents: import ${path}`;
  await saveFile(tx, {
    ownerId,
    path,
    text,
    operation: 'documents.import',
    now,
    peerId,
    commitMessage,
    place,
  });
  return { kind: 'taken' };
}
