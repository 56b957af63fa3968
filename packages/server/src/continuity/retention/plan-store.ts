import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { countOf } from '../../platform/database/built.ts';
import { ACTIVE, ARCHIVED, type ArtifactRow, COLD, FALLBACK } from '../artifacts/artifact-table.ts';
import type { ArchiveName } from '../artifacts/paths.ts';
import type { Mark } from '../read/read-mark-store.ts';
import { isOneOf } from '../list/list-store.ts';

interface Tables {
  continuity_artifacts: ArtifactRow;
  continuity_reads: Mark;
}

const REFRESHED = ['state', 'kind', 'slug', 'summary', 'health_rank', 'attestation'] as const;

/** A subject that might be looked at again. */
export interface RefreshRow extends Pick<ArtifactRow, (typeof REFRESHED)[number]> {
  readonly read_at: number | null;
  /** Verified too long ago, or never. */
  readonly stale: number;
  /** 0 is the most urgent. */
  readonly urgency: number;
}

export interface RefreshFilter {
  readonly ownerId: string;
  readonly kind: SubjectKind | undefined;
  readonly includeHealthy: boolean;
  /** Verified before this: too long ago. */
  readonly staleBefore: number;
  /** What of each may be read. A snapshot stands in for its capsule, and is named by its path. */
  readonly only: {
    readonly active: readonly ArchiveName[] | undefined;
    readonly fallback: readonly ArchiveName[] | undefined;
  };
  readonly limit: number;
}

/** Readable active capsules, and snapshots whose active capsule is gone or unreadable; most urgent first. */
export async function refreshRows(reader: Reader, filter: RefreshFilter): Promise<RefreshRow[]> {
  const stale = sql<boolean>`(a.verified_ms IS NULL OR a.verified_ms < ${filter.staleBefore})`;
  const urgency = sql<number>`CASE
    WHEN a.state = ${FALLBACK} OR a.health_rank > 0 THEN 0
    WHEN a.attestation < 2 OR ${stale} THEN 1
    ELSE 2 END`;
  let query = reader
    .kysely<Tables>()
    .selectFrom('continuity_artifacts as a')
    .leftJoin('continuity_reads as r', (on) =>
      on.onRef('r.owner_id', '=', 'a.owner_id').onRef('r.kind', '=', 'a.kind').onRef('r.slug', '=', 'a.slug'),
    )
    .select([
      ...REFRESHED.map((name) => `a.${name}` as const),
      'r.read_at',
      sql<number>`CASE WHEN ${stale} THEN 1 ELSE 0 END`.as('stale'),
      urgency.as('urgency'),
    ])
    .where('a.owner_id', '=', filter.ownerId)
    .where('a.state', 'in', [ACTIVE, FALLBACK])
    .where('a.readable', '=', 1)
    .where(
      sql<boolean>`(a.state = ${ACTIVE} OR NOT EXISTS (SELECT 1 FROM continuity_artifacts b
        WHERE b.owner_id = a.owner_id AND b.state = ${ACTIVE} AND b.kind = a.kind AND b.slug = a.slug
          AND b.stamp = '' AND b.readable = 1))`,
    )
    .where(isOneOf('a', filter.only.active))
    .where(sql<boolean>`(a.state = ${ACTIVE} OR ${isOneOf('a', filter.only.fallback)})`);
  if (filter.kind) query = query.where('a.kind', '=', filter.kind);
  if (!filter.includeHealthy) {
    query = query.where(sql<boolean>`${urgency} < 2`);
  }
  return await query.orderBy(urgency).orderBy('a.kind').orderBy('a.subject_id').limit(filter.limit).execute();
}

export interface RetentionFilter {
  readonly ownerId: string;
  readonly kind: SubjectKind | undefined;
  /** Archived before this: old enough to be packed away. */
  readonly archivedBefore: number;
  readonly only: readonly ArchiveName[] | undefined;
}

/** An owner's archives, each beside its cold twin if it has one. */
function archives(reader: Reader, { ownerId, kind, only }: RetentionFilter) {
  const query = reader
    .kysely<Tables>()
    .selectFrom('continuity_artifacts as a')
    .leftJoin('continuity_artifacts as c', (on) =>
      on
        .onRef('c.owner_id', '=', 'a.owner_id')
        .on('c.state', '=', COLD)
        .onRef('c.kind', '=', 'a.kind')
        .onRef('c.slug', '=', 'a.slug')
        .onRef('c.stamp', '=', 'a.stamp'),
    )
    .where('a.owner_id', '=', ownerId)
    .where('a.state', '=', ARCHIVED)
    .where(isOneOf('a', only));
  return kind ? query.where('a.kind', '=', kind) : query;
}

/** Old enough, in order, and nothing packed of it yet. */
function candidates(reader: Reader, filter: RetentionFilter) {
  return archives(reader, filter)
    .where('a.readable', '=', 1)
    .where('a.archived_ms', '<', filter.archivedBefore)
    .where('c.raw', 'is', null)
    .where('c.stub', 'is', null);
}

export type RetentionRow = Pick<ArtifactRow, 'kind' | 'slug' | 'stamp' | 'archived_ms' | 'summary'>;

/** Which archives may be packed away, the oldest first, and how many there are. */
export async function retentionPage(
  reader: Reader,
  filter: RetentionFilter,
  limit: number,
): Promise<{ rows: RetentionRow[]; total: number }> {
  const matching = candidates(reader, filter);
  const rows = await matching
    .select(['a.kind', 'a.slug', 'a.stamp', 'a.archived_ms', 'a.summary'])
    .orderBy(sql`a.archived_ms, a.kind, a.slug, a.stamp`)
    .limit(limit)
    .execute();
  return { rows, total: await countOf(matching) };
}

/** Archives a plan can do nothing with. */
export async function retentionTroubles(reader: Reader, filter: RetentionFilter) {
  const half = sql<boolean>`((c.raw IS NULL AND c.stub IS NOT NULL) OR (c.raw IS NOT NULL AND c.stub IS NULL))`;
  return await archives(reader, filter)
    .select(['a.kind', 'a.slug', 'a.stamp', 'a.readable'])
    // One half of its cold copy is there, and the other is not.
    .select(sql<number>`CASE WHEN ${half} THEN 1 ELSE 0 END`.as('half_cold'))
    .where(sql<boolean>`(a.readable = 0 OR (a.archived_ms < ${filter.archivedBefore} AND ${half}))`)
    .execute();
}
