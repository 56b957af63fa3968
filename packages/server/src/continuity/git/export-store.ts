import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { headed } from '../../platform/database/table.ts';
import { CONTENT, WITH_REVISION } from '../artifacts/artifact-store.ts';
import type { ArtifactKey, ArtifactRow } from '../artifacts/artifact-table.ts';
import { type RevisionRow, revisions } from '../artifacts/revision-store.ts';

/** Oldest first. */
export function revisionPage(
  reader: Reader,
  ownerId: string,
  after: number,
  last: number,
  limit: number,
): Promise<RevisionRow[]> {
  return reader.all<RevisionRow>(revisions.select`
    WHERE owner_id = ${ownerId} AND id > ${after} AND id <= ${last}
    ORDER BY id LIMIT ${limit}`);
}

/** The newest revision of anybody; 0 when there is none. */
export async function newestOfAll(reader: Reader): Promise<number> {
  return await reader.total(sql`SELECT MAX(id) AS id FROM continuity_revisions`);
}

/** Who has written since, and the newest revision of each. */
export function newestByOwner(
  reader: Reader,
  after: number,
): Promise<readonly { owner_id: string; id: number }[]> {
  return reader.all(
    sql`SELECT owner_id, MAX(id) AS id FROM continuity_revisions WHERE id > ${after} GROUP BY owner_id`,
  );
}

/** One step in the index for each owner, however much they wrote. */
export async function ownerAfter(reader: Reader, last: string): Promise<string | undefined> {
  return await reader.value<string>(
    sql`SELECT MIN(owner_id) AS owner_id FROM continuity_revisions WHERE owner_id > ${last}`,
  );
}

export async function recordedAt(reader: Reader, ownerId: string, id: number): Promise<number | undefined> {
  return await reader.value<number>(
    sql`SELECT recorded_at FROM continuity_revisions WHERE owner_id = ${ownerId} AND id = ${id}`,
  );
}

export async function oldestRecordedAt(reader: Reader, ownerId: string): Promise<number | undefined> {
  return await reader.value<number>(
    sql`SELECT recorded_at FROM continuity_revisions WHERE owner_id = ${ownerId} ORDER BY id LIMIT 1`,
  );
}

/** Whether a revision that is kept speaks of one of two paths. */
export async function isTold(
  reader: Reader,
  ownerId: string,
  { kind, slug }: { readonly kind: string; readonly slug: string },
  [one, other]: readonly [string, string],
): Promise<boolean> {
  return await reader.exists(sql`
    SELECT 1 AS told FROM continuity_revisions
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND path IN (${one}, ${other}) LIMIT 1`);
}

/** Who holds an open transaction that has written revisions. PostgreSQL only. */
export async function openWriters(reader: Reader): Promise<Set<string>> {
  const writers = await reader.values<string>(sql`
    SELECT pid || ' ' || virtualtransaction AS tx FROM pg_locks
    WHERE locktype = 'relation' AND relation = 'continuity_revisions'::regclass AND mode = 'RowExclusiveLock'
      AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  return new Set(writers);
}

/** A snapshot on its own, an archive or a cold copy: what may be there although no revision tells of it any more. */
export interface KeptKey extends ArtifactKey {
  readonly has_raw: number;
  readonly has_stub: number;
}

/** Where the next page begins: a key, or what comes before all of them. */
export type KeyPosition = Omit<ArtifactKey, 'kind'> & { readonly kind: string };

export function keptKeysAfter(
  reader: Reader,
  ownerId: string,
  { state, kind, slug, stamp }: KeyPosition,
  limit: number,
): Promise<KeptKey[]> {
  return reader.all<KeptKey>(sql`
    SELECT state, kind, slug, stamp, CASE WHEN raw IS NULL THEN 0 ELSE 1 END AS has_raw,
      CASE WHEN stub IS NULL THEN 0 ELSE 1 END AS has_stub
    FROM continuity_artifacts
    WHERE owner_id = ${ownerId} AND (state, kind, slug, stamp) > (${state}, ${kind}, ${slug}, ${stamp})
    ORDER BY state, kind, slug, stamp LIMIT ${limit}`);
}

export type KeptRow = Pick<ArtifactRow, 'revision_id' | 'document' | 'raw' | 'stub'>;

const kept = headed(`SELECT a.revision_id, ${CONTENT}, a.stub ${WITH_REVISION}`);

export function findKept(reader: Reader, ownerId: string, key: KeyPosition): Promise<KeptRow | undefined> {
  return reader.get<KeptRow>(kept`
    WHERE a.owner_id = ${ownerId} AND a.state = ${key.state} AND a.kind = ${key.kind} AND a.slug = ${key.slug}
      AND a.stamp = ${key.stamp}`);
}
