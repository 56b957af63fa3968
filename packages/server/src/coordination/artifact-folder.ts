import {
  type ForeignFolder,
  type ForeignOutcome,
  jsonDocument,
  type Taking,
} from '../continuity/import/foreign-folder.ts';
import type { Journal } from '../continuity/journal.ts';
import type { Tx } from '../platform/database/database.ts';
import { type ArtifactKind, FOLDER, idAt } from './artifact.ts';
import { type Filing, filingIn } from './artifact-filing.ts';
import { findArtifact, insertArtifact, dropFiling } from './artifact-store.ts';

interface Document extends Filing {
  readonly kind: ArtifactKind;
  readonly text: string;
}

/** Handoffs, shared states and reconciliations as they lie in a folder; nobody is sent a message about those. */
export function artifactFolder(journal: Journal): ForeignFolder {
  return {
    folder: FOLDER,
    holds: (path) => idAt(path) !== undefined,
    read(path, bytes) {
      const document = readAt(path, bytes);
      return typeof document === 'string' ? document : (tx, of) => take(journal, tx, path, document, of);
    },
  };
}

async function take(
  journal: Journal,
  tx: Tx,
  path: string,
  { kind, id, text, columns, parties }: Document,
  { ownerId, peerId, now, raw }: Taking,
): Promise<ForeignOutcome> {
  await tx.lock(`coordination:${ownerId}:${id}`);
  const present = await findArtifact(tx, ownerId, kind, id);
  if (present?.document === text) return { kind: 'unchanged' };
  if (present && !raw && present.version > columns.version) {
    return { kind: 'refused', error: 'a newer version of it is there' };
  }
  if (present) await dropFiling(tx, present);
  const row = { owner_id: ownerId, kind, artifact_id: id, document: text, message_id: null, ...columns };
  await insertArtifact(tx, row, parties);
  await journal.record(tx, {
    ownerId,
    kind,
    slug: id,
    operation: 'coordination.import',
    path,
    document: text,
    now,
    peerId,
    commitMessage: `coordination: import ${path}`,
  });
  return { kind: 'taken' };
}

function readAt(path: string, bytes: Uint8Array): Document | string {
  const place = idAt(path);
  const document = jsonDocument(bytes);
  if (!place || !document) return 'not the JSON of a coordination artifact';
  const filing = filingIn[place.kind](document.value);
  if (!filing) return `not a ${place.kind}`;
  if (filing.id !== place.id) return 'its id is not that of its path';
  return { ...filing, kind: place.kind, text: document.text };
}
