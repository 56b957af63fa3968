import { type ForeignFolder, jsonDocument } from '../continuity/import/foreign-folder.ts';
import type { Journal } from '../continuity/journal.ts';
import { type ArtifactKind, FOLDER, idAt } from './artifact.ts';
import { type Filing, filingIn } from './artifact-filing.ts';
import { findArtifact, insertArtifact, dropFiling } from './artifact-store.ts';

interface Read extends Filing {
  readonly kind: ArtifactKind;
  readonly text: string;
}

/** Handoffs, shared states and reconciliations as they lie in a folder; nobody is sent a message about those. */
export function artifactFolder(journal: Journal): ForeignFolder {
  return {
    folder: FOLDER,
    holds: (path) => idAt(path) !== undefined,
    fault(path, bytes) {
      const read = readAt(path, bytes);
      return typeof read === 'string' ? read : undefined;
    },
    async take(tx, ownerId, { path, bytes }, { peerId, now, raw }) {
      const read = readAt(path, bytes);
      if (typeof read === 'string') return { kind: 'refused', error: read };
      const { kind, id, text, columns, parties } = read;
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
    },
  };
}

function readAt(path: string, bytes: Uint8Array): Read | string {
  const place = idAt(path);
  const document = jsonDocument(bytes);
  if (!place || !document) return 'not the JSON of a coordination artifact';
  const filing = filingIn[place.kind](document.value);
  if (!filing) return `not a ${place.kind}`;
  if (filing.id !== place.id) return 'its id is not that of its path';
  return { ...filing, kind: place.kind, text: document.text };
}
