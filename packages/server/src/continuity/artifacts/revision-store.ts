import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { columnText } from './artifact.ts';
import { activePath } from './paths.ts';
import type { Subject } from '../capsule/subject.ts';

export type Operation =
  | 'upsert'
  | 'patch'
  | 'lifecycle'
  | 'revalidate'
  | 'restore'
  | 'archive'
  | 'delete'
  | 'import'
  | 'cold_store'
  | 'cold_rehydrate'
  | 'refresh_plan'
  | 'retention_plan';

/** One durable change, as it is recorded. */
export interface RevisionDraft {
  /** A kind of subject, or `plan`. */
  readonly kind: string;
  readonly slug: string;
  readonly operation: Operation;
  readonly path: string;
  readonly removedPaths?: readonly string[];
  readonly updatedAt?: string;
  readonly recordedAt: number;
  readonly peerId: string;
  readonly commitMessage: string;
  readonly reason?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly sha256?: string;
  readonly document?: string;
  readonly raw?: Uint8Array;
}

export interface RevisionRow {
  readonly id: number;
  readonly number: number;
  readonly operation: Operation;
  readonly path: string;
  readonly updated_at: string | null;
  readonly recorded_at: number;
  readonly peer_id: string;
  readonly commit_message: string;
  readonly reason: string | null;
  readonly idempotency_key: string | null;
  readonly sha256: string | null;
  readonly document: string | null;
  readonly raw: Uint8Array | null;
}

export interface InsertedRevision {
  readonly id: number;
  readonly number: number;
}

/** The writers of one subject take turns, so its numbers have no gaps. */
export async function insertRevision(
  tx: Tx,
  ownerId: string,
  draft: RevisionDraft,
): Promise<InsertedRevision> {
  const { kind, slug } = draft;
  const removed = draft.removedPaths ? JSON.stringify(draft.removedPaths) : null;
  const row = await tx.get<InsertedRevision>(sql`
    INSERT INTO continuity_revisions (owner_id, kind, slug, number, operation, path, removed_paths, updated_at,
      recorded_at, peer_id, commit_message, reason, idempotency_key, sha256, document, raw)
    VALUES (${ownerId}, ${kind}, ${slug},
      COALESCE((SELECT MAX(number) FROM continuity_revisions
        WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug}), 0) + 1,
      ${draft.operation}, ${draft.path}, ${removed}, ${draft.updatedAt ?? null}, ${draft.recordedAt},
      ${draft.peerId}, ${columnText(draft.commitMessage)}, ${orNull(draft.reason)},
      ${orNull(draft.idempotencyKey)}, ${draft.sha256 ?? null}, ${draft.document ?? null}, ${draft.raw ?? null})
    RETURNING id, number`);
  if (!row) throw new TypeError('an inserted revision returned no row');
  return row;
}

const orNull = (text: string | undefined): string | null => (text === undefined ? null : columnText(text));

/** Forgets what is older than `oldest`, to be asked only where no artifact points at any of it. */
export function pruneRevisions(
  tx: Tx,
  ownerId: string,
  { kind, slug }: { kind: string; slug: string },
  oldest: number,
): Promise<number> {
  return tx.run(sql`
    DELETE FROM continuity_revisions
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND number < ${oldest}`);
}

export async function newestRevisionId(reader: Reader, ownerId: string): Promise<number | undefined> {
  const row = await reader.get<{ id: number | null }>(
    sql`SELECT MAX(id) AS id FROM continuity_revisions WHERE owner_id = ${ownerId}`,
  );
  return row?.id ?? undefined;
}

/** Newest first, of the last `kept`: beyond those stands at most what the oldest of them is compared with. */
export function revisionsBefore(
  reader: Reader,
  ownerId: string,
  { kind, slug }: { kind: string; slug: string },
  { before, kept, limit }: { before: number; kept: number; limit: number },
): Promise<RevisionRow[]> {
  return reader.all<RevisionRow>(sql`
    SELECT id, number, operation, path, updated_at, recorded_at, peer_id, commit_message, reason, idempotency_key,
      sha256, document, raw
    FROM continuity_revisions
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND number < ${before}
      AND number + ${kept} > (SELECT MAX(number) FROM continuity_revisions
        WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug})
    ORDER BY number DESC LIMIT ${limit}`);
}

/** The newest revision before one that says what the active capsule was: it wrote it, removed it or archived it. */
export function activeBefore(
  reader: Reader,
  ownerId: string,
  subject: Pick<Subject, 'kind' | 'slug'>,
  before: number,
): Promise<RevisionRow | undefined> {
  return reader.get<RevisionRow>(sql`
    SELECT id, number, operation, path, updated_at, recorded_at, peer_id, commit_message, reason, idempotency_key,
      sha256, document, raw
    FROM continuity_revisions
    WHERE owner_id = ${ownerId} AND kind = ${subject.kind} AND slug = ${subject.slug} AND number < ${before}
      AND (path = ${activePath(subject)} OR operation = 'archive')
    ORDER BY number DESC LIMIT 1`);
}

/** The newest plan of a kind, as it was kept. */
export function newestPlan(
  reader: Reader,
  ownerId: string,
  slug: string,
): Promise<Pick<RevisionRow, 'document' | 'raw'> | undefined> {
  return reader.get(sql`
    SELECT document, raw FROM continuity_revisions
    WHERE owner_id = ${ownerId} AND kind = 'plan' AND slug = ${slug} ORDER BY number DESC LIMIT 1`);
}

export function revisionByNumber(
  reader: Reader,
  ownerId: string,
  { kind, slug }: { kind: string; slug: string },
  number: number,
): Promise<RevisionRow | undefined> {
  return reader.get<RevisionRow>(sql`
    SELECT id, number, operation, path, updated_at, recorded_at, peer_id, commit_message, reason, idempotency_key,
      sha256, document, raw
    FROM continuity_revisions
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND number = ${number}`);
}
