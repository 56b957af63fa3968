import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { sql as raw } from 'kysely';
import type { Reader } from '../platform/database/database.ts';
import { sql } from '../platform/database/sql.ts';

/** A subject that might be looked at again. */
export interface RefreshRow {
  readonly state: number;
  readonly kind: SubjectKind;
  readonly slug: string;
  readonly summary: string;
  readonly health_rank: number;
  readonly attestation: number;
  readonly verified_ms: number | null;
  readonly read_at: number | null;
}

interface Tables {
  continuity_artifacts: {
    owner_id: string;
    state: number;
    kind: SubjectKind;
    slug: string;
    stamp: string;
    subject_id: string;
    readable: number;
    summary: string;
    health_rank: number;
    attestation: number;
    verified_ms: number | null;
  };
  continuity_reads: { owner_id: string; kind: string; slug: string; read_at: number };
}

export interface RefreshFilter {
  readonly kind: SubjectKind | undefined;
  readonly includeHealthy: boolean;
  /** Verified before this: too long ago. */
  readonly staleBefore: number;
  readonly limit: number;
}

/** Readable active capsules, and snapshots whose active capsule is gone or unreadable; most urgent first. */
export async function refreshRows(
  reader: Reader,
  ownerId: string,
  filter: RefreshFilter,
): Promise<RefreshRow[]> {
  const stale = raw<boolean>`(a.verified_ms IS NULL OR a.verified_ms < ${filter.staleBefore})`;
  let query = reader
    .kysely<Tables>()
    .selectFrom('continuity_artifacts as a')
    .leftJoin('continuity_reads as r', (on) =>
      on.onRef('r.owner_id', '=', 'a.owner_id').onRef('r.kind', '=', 'a.kind').onRef('r.slug', '=', 'a.slug'),
    )
    .select([
      'a.state',
      'a.kind',
      'a.slug',
      'a.summary',
      'a.health_rank',
      'a.attestation',
      'a.verified_ms',
      'r.read_at',
    ])
    .where('a.owner_id', '=', ownerId)
    .where('a.state', 'in', [0, 1])
    .where('a.readable', '=', 1)
    .where(
      raw<boolean>`(a.state = 0 OR NOT EXISTS (SELECT 1 FROM continuity_artifacts b
        WHERE b.owner_id = a.owner_id AND b.state = 0 AND b.kind = a.kind AND b.slug = a.slug
          AND b.stamp = '' AND b.readable = 1))`,
    );
  if (filter.kind) query = query.where('a.kind', '=', filter.kind);
  if (!filter.includeHealthy) {
    query = query.where(raw<boolean>`(a.state = 1 OR a.health_rank > 0 OR a.attestation < 2 OR ${stale})`);
  }
  return await query
    .orderBy(
      raw`CASE WHEN a.state = 1 OR a.health_rank > 0 THEN 0 WHEN a.attestation < 2 OR ${stale} THEN 1 ELSE 2 END`,
    )
    .orderBy('a.kind')
    .orderBy('a.subject_id')
    .limit(filter.limit)
    .execute();
}

/** An archive old enough to be packed away, and what is already packed of it. */
export interface RetentionRow {
  readonly kind: SubjectKind;
  readonly slug: string;
  readonly stamp: string;
  readonly readable: number;
  readonly archived_ms: number | null;
  readonly summary: string | null;
  readonly has_payload: number;
  readonly has_stub: number;
}

export function retentionRows(
  reader: Reader,
  ownerId: string,
  archivedBefore: number,
): Promise<RetentionRow[]> {
  return reader.all<RetentionRow>(sql`
    SELECT a.kind, a.slug, a.stamp, a.readable, a.archived_ms, a.summary,
      CASE WHEN c.raw IS NULL THEN 0 ELSE 1 END AS has_payload,
      CASE WHEN c.stub IS NULL THEN 0 ELSE 1 END AS has_stub
    FROM continuity_artifacts a LEFT JOIN continuity_artifacts c
      ON c.owner_id = a.owner_id AND c.state = 3 AND c.kind = a.kind AND c.slug = a.slug AND c.stamp = a.stamp
    WHERE a.owner_id = ${ownerId} AND a.state = 2 AND (a.readable = 0 OR a.archived_ms < ${archivedBefore})
    ORDER BY a.archived_ms, a.kind, a.slug, a.stamp`);
}
