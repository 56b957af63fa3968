import type { Tx } from '../platform/database/database.ts';
import {
  ACTIVE,
  ARCHIVED,
  type ArtifactColumns,
  columnsOf,
  FALLBACK,
  unreadableColumns,
} from './artifact.ts';
import { artifactTerms, putArtifact, putTerms, separateFallback } from './artifact-store.ts';
import { sha256 } from './canonical.ts';
import { plantCold } from './cold-rows.ts';
import { fallbackCapsule, openArchive } from './envelopes.ts';
import { instantOrUndefined } from './instant.ts';
import { isLoaded, type LoadedCapsule, loadCapsule, type Unreadable } from './load-capsule.ts';
import { type ArchiveName, locate } from './paths.ts';
import { insertRevision } from './revision-store.ts';
import { isOf } from './stored-capsule.ts';

/**
 * Puts bytes under a path as they are, valid or not: how a folder of documents is taken over. Returns whether the path
 * is that of an artifact.
 */
export async function plant(
  tx: Tx,
  ownerId: string,
  path: string,
  bytes: Uint8Array,
  { peerId, now }: { peerId: string; now: number },
): Promise<boolean> {
  const place = locate(path);
  if (!place) return false;
  if (place.state === 'payload' || place.state === 'stub') {
    await plantCold(tx, ownerId, place.name, place.archive, place.state, bytes);
    return true;
  }
  const content = contentFrom(bytes);
  if ('name' in place) {
    await plantArchive(tx, ownerId, place.name, content);
    return true;
  }
  const { kind, slug } = place;
  const state = place.state === 'active' ? ACTIVE : FALLBACK;
  const loaded = state === ACTIVE ? loadCapsule(bytes) : fallbackCapsule(bytes);
  const columns = columnsFrom(loaded, { kind, slug }, sha256(bytes));
  const key = { state, kind, slug, stamp: '' };
  await separateFallback(tx, ownerId, { kind, slug });
  const before = await artifactTerms(tx, ownerId, key);
  if (state === FALLBACK) await putArtifact(tx, ownerId, key, columns, content);
  else {
    const { id } = await insertRevision(tx, ownerId, {
      kind,
      slug,
      operation: 'import',
      path,
      recordedAt: now,
      peerId,
      commitMessage: `continuity: import ${path}`,
      sha256: sha256(bytes),
      ...content,
    });
    await putArtifact(tx, ownerId, key, columns, { revisionId: id });
  }
  await putTerms(tx, ownerId, key, before, columns.terms);
  return true;
}

type Content = { readonly document: string } | { readonly raw: Uint8Array };

/** As text where it is one, so that it reads like everything else. */
function contentFrom(bytes: Uint8Array): Content {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString();
  return !text.includes('\0') && Buffer.from(text).equals(buffer) ? { document: text } : { raw: bytes };
}

function columnsFrom(
  loaded: LoadedCapsule | Unreadable | string,
  subject: Pick<ArchiveName, 'kind' | 'slug'>,
  hash: string,
  archivedAt?: string,
): ArtifactColumns {
  if (typeof loaded === 'string' || !isLoaded(loaded) || !isOf(loaded.capsule, subject)) {
    return unreadableColumns(subject.slug);
  }
  return columnsOf(loaded.capsule, hash, { archivedAt });
}

async function plantArchive(tx: Tx, ownerId: string, name: ArchiveName, content: Content): Promise<void> {
  const key = { state: ARCHIVED, kind: name.kind, slug: name.slug, stamp: name.stamp };
  const envelope = openArchive('document' in content ? content.document : content.raw);
  const bytes = 'document' in content ? content.document : content.raw;
  const loaded = typeof envelope === 'string' ? envelope : envelope.loaded;
  const archivedAt = typeof envelope === 'string' ? undefined : envelope.archivedAt;
  const columns = columnsFrom(loaded, name, sha256(bytes), archivedAt);
  const archivedMs = instantOrUndefined(archivedAt)?.floorMs;
  const before = await artifactTerms(tx, ownerId, key);
  await putArtifact(tx, ownerId, key, columns, {
    ...content,
    ...(archivedMs !== undefined && { archivedMs }),
  });
  await putTerms(tx, ownerId, key, before, columns.terms);
}
