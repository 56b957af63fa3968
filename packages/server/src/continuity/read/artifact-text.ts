import type { Reader } from '../../platform/database/database.ts';
import {
  contentOf,
  findActiveDocument,
  findArchive,
  findCold,
  findFallbackDocument,
} from '../artifacts/artifact-store.ts';
import { type Located, locate } from '../artifacts/paths.ts';
import { storedFallbackText } from '../capsule/envelopes.ts';

/** The document under the path of a capsule, a snapshot or an archive; undefined where none is. Cold copies are not shown. */
export async function artifactText(
  reader: Reader,
  ownerId: string,
  path: string,
): Promise<string | undefined> {
  const place = locate(path);
  if (!place || place.state === 'payload' || place.state === 'stub') return undefined;
  const content = await contentAt(reader, ownerId, place);
  return content == null ? undefined : Buffer.from(content).toString();
}

/** What lies under the path of an artifact. */
export async function contentAt(
  reader: Reader,
  ownerId: string,
  place: Located,
): Promise<string | Uint8Array | null | undefined> {
  if (place.state === 'payload' || place.state === 'stub') {
    const cold = await findCold(reader, ownerId, place.name);
    return place.state === 'payload' ? cold?.raw : cold?.stub;
  }
  if (place.state === 'fallback') {
    const row = await findFallbackDocument(reader, ownerId, place);
    return row && (row.own === 1 ? contentOf(row) : storedFallbackText(row));
  }
  const row =
    'name' in place
      ? await findArchive(reader, ownerId, place.name)
      : await findActiveDocument(reader, ownerId, place);
  return row && contentOf(row);
}
