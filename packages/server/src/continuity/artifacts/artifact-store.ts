import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { ArtifactColumns, ArtifactKey } from './artifact.ts';
import type { Subject } from '../capsule/subject.ts';

/** A stored document, with what can be known of it without reading it. */
export interface DocumentRow {
  readonly readable: number;
  readonly revision_id: number | null;
  readonly sha256: string | null;
  readonly updated_key: string | null;
  readonly terms: string;
  /** Of an active capsule: whether it is its own fallback as well. */
  readonly has_snapshot: number;
  readonly subject_id: string;
  readonly summary: string | null;
  readonly document: string | null;
  readonly raw: Uint8Array | null;
  /** Stands in its own row as an envelope, and not as a capsule in its revision. */
  readonly own: number;
}

/** What is known of the active capsule without its text. */
export type HeadRow = Omit<DocumentRow, 'document' | 'raw' | 'own'>;

export function findActiveHead(
  reader: Reader,
  ownerId: string,
  { kind, slug }: Pick<Subject, 'kind' | 'slug'>,
): Promise<HeadRow | undefined> {
  return reader.get<HeadRow>(sql`
    SELECT readable, revision_id, sha256, updated_key, terms, has_snapshot, subject_id, summary
    FROM continuity_artifacts
    WHERE owner_id = ${ownerId} AND state = 0 AND kind = ${kind} AND slug = ${slug} AND stamp = ''`);
}

export function findActiveDocument(
  reader: Reader,
  ownerId: string,
  { kind, slug }: Pick<Subject, 'kind' | 'slug'>,
): Promise<DocumentRow | undefined> {
  return reader.get<DocumentRow>(sql`
    SELECT a.readable, a.revision_id, a.sha256, a.updated_key, a.terms, a.has_snapshot, a.subject_id, a.summary,
      COALESCE(a.document, r.document) AS document, COALESCE(a.raw, r.raw) AS raw,
      CASE WHEN a.revision_id IS NULL THEN 1 ELSE 0 END AS own
    FROM continuity_artifacts a LEFT JOIN continuity_revisions r ON r.id = a.revision_id
    WHERE a.owner_id = ${ownerId} AND a.state = 0 AND a.kind = ${kind} AND a.slug = ${slug} AND a.stamp = ''`);
}

/** The fallback as a row of its own, or the active capsule that is its own fallback. */
export function findFallbackDocument(
  reader: Reader,
  ownerId: string,
  { kind, slug }: Pick<Subject, 'kind' | 'slug'>,
): Promise<DocumentRow | undefined> {
  return reader.get<DocumentRow>(sql`
    SELECT a.readable, a.revision_id, a.sha256, a.updated_key, a.terms, a.has_snapshot, a.subject_id, a.summary,
      COALESCE(a.document, r.document) AS document, COALESCE(a.raw, r.raw) AS raw,
      CASE WHEN a.revision_id IS NULL THEN 1 ELSE 0 END AS own
    FROM continuity_artifacts a LEFT JOIN continuity_revisions r ON r.id = a.revision_id
    WHERE a.owner_id = ${ownerId} AND a.state IN (0, 1) AND a.kind = ${kind} AND a.slug = ${slug} AND a.stamp = ''
      AND (a.state = 1 OR a.has_snapshot = 1)
    ORDER BY a.state DESC LIMIT 1`);
}

/** Gives the fallback a row of its own, before the active capsule becomes something else than it. */
export async function separateFallback(
  tx: Tx,
  ownerId: string,
  { kind, slug }: Pick<Subject, 'kind' | 'slug'>,
): Promise<void> {
  const copied = await tx.run(sql`
    INSERT INTO continuity_artifacts (owner_id, state, kind, slug, stamp, subject_id, readable, revision_id,
      has_snapshot, document, raw, stub, sha256, updated_key, summary, lifecycle_rank, health_rank, verified_ms,
      stale_seconds, expires_ms, resume_adequate, verification_rank, attestation, updated_ms, archived_ms, label, terms)
    SELECT owner_id, 1, kind, slug, stamp, subject_id, readable, revision_id, 0, document, raw, stub, sha256,
      updated_key, summary, lifecycle_rank, health_rank, verified_ms, stale_seconds, expires_ms, resume_adequate,
      verification_rank, attestation, updated_ms, archived_ms, label, terms
    FROM continuity_artifacts
    WHERE owner_id = ${ownerId} AND state = 0 AND kind = ${kind} AND slug = ${slug} AND stamp = '' AND has_snapshot = 1`);
  if (copied === 0) return;
  await tx.run(sql`
    INSERT INTO continuity_terms (owner_id, term, state, kind, slug, stamp)
    SELECT owner_id, term, 1, kind, slug, stamp FROM continuity_terms
    WHERE owner_id = ${ownerId} AND state = 0 AND kind = ${kind} AND slug = ${slug} AND stamp = ''`);
  await tx.run(sql`
    UPDATE continuity_artifacts SET has_snapshot = 0
    WHERE owner_id = ${ownerId} AND state = 0 AND kind = ${kind} AND slug = ${slug} AND stamp = ''`);
}

/** The bytes of an artifact; a text stands for itself. */
export const contentOf = (row: { document: string | null; raw: Uint8Array | null }): string | Uint8Array =>
  row.document ?? row.raw ?? '';

export interface ArtifactContent {
  readonly revisionId?: number;
  readonly hasSnapshot?: boolean;
  readonly document?: string;
  readonly raw?: Uint8Array;
  readonly stub?: string;
  readonly archivedMs?: number;
}

export async function putArtifact(
  tx: Tx,
  ownerId: string,
  key: ArtifactKey,
  columns: ArtifactColumns,
  content: ArtifactContent,
): Promise<void> {
  const { state, kind, slug, stamp } = key;
  const c = columns;
  await tx.run(sql`
    INSERT INTO continuity_artifacts (owner_id, state, kind, slug, stamp, subject_id, readable, revision_id,
      has_snapshot, document, raw, stub, sha256, updated_key, summary, lifecycle_rank, health_rank, verified_ms, stale_seconds, expires_ms,
      resume_adequate, verification_rank, attestation, updated_ms, archived_ms, label, terms)
    VALUES (${ownerId}, ${state}, ${kind}, ${slug}, ${stamp}, ${c.subjectId}, ${Number(c.readable)},
      ${content.revisionId ?? null}, ${Number(content.hasSnapshot ?? false)}, ${content.document ?? null}, ${content.raw ?? null}, ${content.stub ?? null},
      ${c.sha256}, ${c.updatedKey}, ${c.summary}, ${c.lifecycleRank}, ${c.healthRank}, ${c.verifiedMs},
      ${c.staleSeconds}, ${c.expiresMs}, ${Number(c.resumeAdequate)}, ${c.verificationRank}, ${c.attestation},
      ${c.updatedMs},
      ${content.archivedMs ?? null}, ${c.label}, ${c.terms})
    ON CONFLICT (owner_id, state, kind, slug, stamp) DO UPDATE SET
      subject_id = excluded.subject_id, readable = excluded.readable, revision_id = excluded.revision_id, has_snapshot = excluded.has_snapshot,
      document = excluded.document, raw = excluded.raw, stub = excluded.stub, sha256 = excluded.sha256,
      updated_key = excluded.updated_key, summary = excluded.summary, lifecycle_rank = excluded.lifecycle_rank,
      health_rank = excluded.health_rank, verified_ms = excluded.verified_ms,
      stale_seconds = excluded.stale_seconds, expires_ms = excluded.expires_ms,
      resume_adequate = excluded.resume_adequate, verification_rank = excluded.verification_rank,
      attestation = excluded.attestation,
      updated_ms = excluded.updated_ms, archived_ms = excluded.archived_ms, label = excluded.label,
      terms = excluded.terms`);
}

/** The words an artifact is found by, changed only where they differ from what they were. */
export async function putTerms(
  tx: Tx,
  ownerId: string,
  { state, kind, slug, stamp }: ArtifactKey,
  before: string,
  after: string,
): Promise<void> {
  if (before === after) return;
  const old: readonly string[] = JSON.parse(before);
  const now: readonly string[] = JSON.parse(after);
  for (const term of old) {
    if (now.includes(term)) continue;
    await tx.run(sql`
      DELETE FROM continuity_terms WHERE owner_id = ${ownerId} AND term = ${term} AND state = ${state}
        AND kind = ${kind} AND slug = ${slug} AND stamp = ${stamp}`);
  }
  for (const term of now) {
    if (old.includes(term)) continue;
    await tx.run(sql`
      INSERT INTO continuity_terms (owner_id, term, state, kind, slug, stamp)
      VALUES (${ownerId}, ${term}, ${state}, ${kind}, ${slug}, ${stamp}) ON CONFLICT DO NOTHING`);
  }
}

export async function removeArtifact(tx: Tx, ownerId: string, key: ArtifactKey): Promise<boolean> {
  const { state, kind, slug, stamp } = key;
  const removed = await tx.run(sql`
    DELETE FROM continuity_artifacts
    WHERE owner_id = ${ownerId} AND state = ${state} AND kind = ${kind} AND slug = ${slug} AND stamp = ${stamp}`);
  if (removed === 0) return false;
  await tx.run(sql`
    DELETE FROM continuity_terms
    WHERE owner_id = ${ownerId} AND state = ${state} AND kind = ${kind} AND slug = ${slug} AND stamp = ${stamp}`);
  return true;
}

export async function artifactTerms(reader: Reader, ownerId: string, key: ArtifactKey): Promise<string> {
  const row = await reader.get<{ terms: string }>(sql`
    SELECT terms FROM continuity_artifacts WHERE owner_id = ${ownerId} AND state = ${key.state}
      AND kind = ${key.kind} AND slug = ${key.slug} AND stamp = ${key.stamp}`);
  return row?.terms ?? '[]';
}

export interface ArchiveRow {
  readonly kind: Subject['kind'];
  readonly slug: string;
  readonly stamp: string;
  readonly document: string | null;
  readonly raw: Uint8Array | null;
  readonly archived_ms: number | null;
  readonly readable: number;
}

/** The archives of one subject, oldest first. */
export function archivesOf(
  reader: Reader,
  ownerId: string,
  { kind, slug }: Pick<Subject, 'kind' | 'slug'>,
): Promise<Pick<ArchiveRow, 'stamp' | 'readable'>[]> {
  return reader.all(sql`
    SELECT stamp, readable FROM continuity_artifacts
    WHERE owner_id = ${ownerId} AND state = 2 AND kind = ${kind} AND slug = ${slug} ORDER BY stamp`);
}

export function findArchive(
  reader: Reader,
  ownerId: string,
  key: Pick<ArtifactKey, 'kind' | 'slug' | 'stamp'>,
): Promise<ArchiveRow | undefined> {
  return reader.get<ArchiveRow>(sql`
    SELECT kind, slug, stamp, document, raw, archived_ms, readable FROM continuity_artifacts
    WHERE owner_id = ${ownerId} AND state = 2 AND kind = ${key.kind} AND slug = ${key.slug}
      AND stamp = ${key.stamp}`);
}

/** A cold copy: the packed archive, and the readable stub of it. Either may be missing after an interrupted run. */
export interface ColdRow {
  readonly raw: Uint8Array | null;
  readonly stub: string | null;
  readonly readable: number;
}

export function findCold(
  reader: Reader,
  ownerId: string,
  key: Pick<ArtifactKey, 'kind' | 'slug' | 'stamp'>,
): Promise<ColdRow | undefined> {
  return reader.get<ColdRow>(sql`
    SELECT raw, stub, readable FROM continuity_artifacts
    WHERE owner_id = ${ownerId} AND state = 3 AND kind = ${key.kind} AND slug = ${key.slug}
      AND stamp = ${key.stamp}`);
}
