import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { ARCHIVED, FALLBACK } from '../artifact.ts';
import { contentOf } from '../artifact-store.ts';
import { archivePath, coldPayloadPath, coldStubPath, fallbackPath } from '../paths.ts';
import { snapshotText } from '../snapshot-text.ts';
import type { FileChange } from './fast-import.ts';

/** A snapshot on its own, an archive or a cold copy: what may be there although no revision tells of it any more. */
interface ArtifactKeyRow {
  readonly state: number;
  readonly kind: SubjectKind;
  readonly slug: string;
  readonly stamp: string;
  readonly has_raw: number;
  readonly has_stub: number;
}

interface ArtifactRow {
  readonly revision_id: number | null;
  readonly document: string | null;
  readonly raw: Uint8Array | null;
  readonly stub: string | null;
}

/** A file the store would have now, and how to read it. */
export interface KeptFile {
  readonly path: string;
  readonly key: Pick<ArtifactKeyRow, 'state' | 'kind' | 'slug' | 'stamp'>;
}

const PAGE = 1_000;

/** The names of all such files of an owner. */
export async function* keptFiles(reader: Reader, ownerId: string): AsyncGenerator<KeptFile> {
  let last = { state: FALLBACK, kind: '', slug: '', stamp: '' };
  for (;;) {
    const { state, kind, slug, stamp } = last;
    const rows = await reader.all<ArtifactKeyRow>(sql`
      SELECT state, kind, slug, stamp, CASE WHEN raw IS NULL THEN 0 ELSE 1 END AS has_raw,
        CASE WHEN stub IS NULL THEN 0 ELSE 1 END AS has_stub
      FROM continuity_artifacts
      WHERE owner_id = ${ownerId} AND (state, kind, slug, stamp) > (${state}, ${kind}, ${slug}, ${stamp})
      ORDER BY state, kind, slug, stamp LIMIT ${PAGE}`);
    for (const row of rows) for (const path of pathsOf(row)) yield { path, key: row };
    const end = rows.at(-1);
    if (!end || rows.length < PAGE) return;
    last = end;
  }
}

function pathsOf(row: ArtifactKeyRow): string[] {
  if (row.state === FALLBACK) return [fallbackPath(row)];
  const archive = archivePath(row, row.stamp);
  if (row.state === ARCHIVED) return [archive];
  return [
    ...(row.has_raw === 1 ? [coldPayloadPath(archive)] : []),
    ...(row.has_stub === 1 ? [coldStubPath(archive)] : []),
  ];
}

/** Whether a revision that is kept tells of an archive or of a cold copy. */
export async function isTold(
  reader: Reader,
  ownerId: string,
  { kind, slug, state, stamp }: KeptFile['key'],
): Promise<boolean> {
  const archive = archivePath({ kind, slug }, stamp);
  const [one, other] =
    state === ARCHIVED ? [archive, archive] : [coldPayloadPath(archive), coldStubPath(archive)];
  const row = await reader.get(sql`
    SELECT 1 AS told FROM continuity_revisions
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND path IN (${one}, ${other}) LIMIT 1`);
  return row !== undefined;
}

/** The bytes of such a file; undefined when it went away meanwhile, or when it says nothing. */
export async function keptContent(
  reader: Reader,
  ownerId: string,
  { key, path }: KeptFile,
): Promise<FileChange['content']> {
  const row = await reader.get<ArtifactRow>(sql`
    SELECT a.revision_id, COALESCE(a.document, r.document) AS document, COALESCE(a.raw, r.raw) AS raw, a.stub
    FROM continuity_artifacts a LEFT JOIN continuity_revisions r ON r.id = a.revision_id
    WHERE a.owner_id = ${ownerId} AND a.state = ${key.state} AND a.kind = ${key.kind} AND a.slug = ${key.slug}
      AND a.stamp = ${key.stamp}`);
  if (!row) return undefined;
  if (path.endsWith('.md')) return row.stub ?? undefined;
  // A snapshot that points at a revision is the capsule alone, not the document that lies under its path.
  return key.state === FALLBACK && row.revision_id !== null ? snapshotText(row) : contentOf(row);
}
