import type { Reader } from '../../platform/database/database.ts';
import { pages } from '../../platform/database/pages.ts';
import { ARCHIVED, FALLBACK } from '../artifacts/artifact-table.ts';
import { contentOf } from '../artifacts/artifact-store.ts';
import { archivePath, coldPayloadPath, coldStubPath, fallbackPath } from '../artifacts/paths.ts';
import { storedFallbackText } from '../capsule/envelopes.ts';
import { findKept, isTold, type KeptKey, type KeyPosition, keptKeysAfter } from './export-store.ts';
import type { FileChange } from './fast-import.ts';

/** A file the store would have now, and how to read it. */
export interface KeptFile {
  readonly path: string;
  readonly key: Pick<KeptKey, 'state' | 'kind' | 'slug' | 'stamp'>;
}

const PAGE = 1_000;
const FIRST: KeyPosition = { state: FALLBACK, kind: '', slug: '', stamp: '' };

/** The names of all such files of an owner. */
export async function* keptFiles(reader: Reader, ownerId: string): AsyncGenerator<KeptFile> {
  const all = pages<KeptKey>(PAGE, (after) => keptKeysAfter(reader, ownerId, after ?? FIRST, PAGE));
  for await (const rows of all) {
    for (const row of rows) for (const path of pathsOf(row)) yield { path, key: row };
  }
}

function pathsOf(row: KeptKey): string[] {
  if (row.state === FALLBACK) return [fallbackPath(row)];
  const archive = archivePath(row, row.stamp);
  if (row.state === ARCHIVED) return [archive];
  return [
    ...(row.has_raw === 1 ? [coldPayloadPath(archive)] : []),
    ...(row.has_stub === 1 ? [coldStubPath(archive)] : []),
  ];
}

/** Whether a revision that is kept tells of an archive or of a cold copy. */
export function isToldOf(reader: Reader, ownerId: string, { key }: Pick<KeptFile, 'key'>): Promise<boolean> {
  const archive = archivePath(key, key.stamp);
  const paths: [string, string] =
    key.state === ARCHIVED ? [archive, archive] : [coldPayloadPath(archive), coldStubPath(archive)];
  return isTold(reader, ownerId, key, paths);
}

/** The bytes of such a file; undefined when it went away meanwhile, or when it says nothing. */
export async function keptContent(
  reader: Reader,
  ownerId: string,
  { key, path }: KeptFile,
): Promise<FileChange['content']> {
  const row = await findKept(reader, ownerId, key);
  if (!row) return undefined;
  if (path.endsWith('.md')) return row.stub ?? undefined;
  // A snapshot that points at a revision is the capsule alone, not the document that lies under its path.
  return key.state === FALLBACK && row.revision_id !== null ? storedFallbackText(row) : contentOf(row);
}
