import type { Reader } from '../../platform/database/database.ts';
import {
  contentOf,
  findActiveDocument,
  findArchive,
  findFallbackDocument,
} from '../artifacts/artifact-store.ts';
import { locate } from '../artifacts/paths.ts';
import { storedFallbackText } from '../capsule/fallback-text.ts';

/** The document under the path of a capsule, a snapshot or an archive; undefined where none is. Cold copies are not shown. */
export async function artifactText(
  reader: Reader,
  ownerId: string,
  path: string,
): Promise<string | undefined> {
  const content = await contentAt(reader, ownerId, path);
  return content === undefined ? undefined : Buffer.from(content).toString();
}

async function contentAt(
  reader: Reader,
  ownerId: string,
  path: string,
): Promise<string | Uint8Array | undefined> {
  const place = locate(path);
  if (place?.state === 'archived') {
    const row = await findArchive(reader, ownerId, place.name);
    return row && contentOf(row);
  }
  if (place?.state === 'active') {
    const row = await findActiveDocument(reader, ownerId, place);
    return row && contentOf(row);
  }
  if (place?.state !== 'fallback') return undefined;
  const row = await findFallbackDocument(reader, ownerId, place);
  return row && (row.own === 1 ? contentOf(row) : storedFallbackText(row));
}
