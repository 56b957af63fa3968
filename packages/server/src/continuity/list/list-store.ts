import type { Phase, SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { type ArtifactRow, artifacts, termTable } from '../artifacts/artifact-table.ts';
import type { ArchiveName } from '../artifacts/paths.ts';
import type { RevisionRow } from '../artifacts/revision-store.ts';
import { AGE_LIMITS, phaseRank } from '../read/freshness.ts';
import { UNKNOWN_AGE } from './salience.ts';

interface Tables {
  continuity_artifacts: ArtifactRow;
  continuity_revisions: RevisionRow;
  continuity_terms: RowOf<typeof termTable>;
}

const listed = artifacts.pick(
  'state',
  'kind',
  'slug',
  'stamp',
  'subject_id',
  'summary',
  'stub',
  'lifecycle_rank',
  'health_rank',
  'verified_ms',
  'stale_seconds',
  'expires_ms',
  'resume_adequate',
  'verification_rank',
  'updated_ms',
  'archived_ms',
);

export const listedColumns = listed.names;

/** An artifact as lists see it. */
export type ListedRow = RowOf<typeof listed>;

export interface ListFilter {
  readonly ownerId: string;
  readonly state: number;
  readonly kind?: SubjectKind | undefined;
  /** Rank of the lifecycle asked for. */
  readonly lifecycle?: number | undefined;
  readonly label?: string | undefined;
  /** Words that must all be there. */
  readonly terms: readonly string[];
  /** Only active capsules that are their own fallback. */
  readonly sharedOnly?: boolean;
  /** Undefined: all. Else the only slugs, with their kinds, that the caller may see in this state. */
  readonly only?: readonly ArchiveName[] | undefined;
}

/** Where the next page of one state begins. */
export interface Position extends Pick<ListedRow, 'subject_id' | 'slug' | 'stamp'> {
  readonly kind: string;
}

type Query = SelectQueryBuilder<Tables, 'continuity_artifacts', ListedRow>;

function selected(reader: Reader, filter: ListFilter): Query {
  const { ownerId, state } = filter;
  let query = reader
    .kysely<Tables>()
    .selectFrom('continuity_artifacts')
    .select(listed.names.map((name) => `continuity_artifacts.${name}` as const))
    .where('continuity_artifacts.owner_id', '=', ownerId)
    .where('continuity_artifacts.state', '=', state)
    .where('readable', '=', 1);
  if (filter.sharedOnly) query = query.where('has_snapshot', '=', 1);
  if (filter.kind) query = query.where('continuity_artifacts.kind', '=', filter.kind);
  if (filter.lifecycle !== undefined) query = query.where('lifecycle_rank', '=', filter.lifecycle);
  if (filter.label !== undefined) query = query.where('label', '=', filter.label);
  for (const term of filter.terms) {
    query = query.where((has) =>
      has.exists(
        has
          .selectFrom('continuity_terms as t')
          .select(sql.lit(1).as('one'))
          .where('t.owner_id', '=', ownerId)
          .where('t.term', '=', term)
          .whereRef('t.state', '=', 'continuity_artifacts.state')
          .whereRef('t.kind', '=', 'continuity_artifacts.kind')
          .whereRef('t.slug', '=', 'continuity_artifacts.slug')
          .whereRef('t.stamp', '=', 'continuity_artifacts.stamp'),
      ),
    );
  }
  return filter.only ? query.where(isOneOf('continuity_artifacts', filter.only)) : query;
}

/** Whether it is one of the artifacts a caller may read; undefined stands for all. */
export function isOneOf(alias: string, only: readonly ArchiveName[] | undefined): RawBuilder<boolean> {
  if (!only) return sql<boolean>`1 = 1`;
  if (only.length === 0) return sql<boolean>`1 = 0`;
  const [a, b, c] = (['kind', 'slug', 'stamp'] as const).map((name) => sql.ref(`${alias}.${name}`));
  const names = only.map(
    ({ kind, slug, stamp }) => sql`(${a} = ${kind} AND ${b} = ${slug} AND ${c} = ${stamp})`,
  );
  return sql<boolean>`(${sql.join(names, sql` OR `)})`;
}

/** Of lists: kind, id, name. */
const ORDER = sql.raw(
  ['kind', 'subject_id', 'slug', 'stamp'].map((name) => `continuity_artifacts.${name}`).join(', '),
);

/** In the order of lists. */
export function selectListed(reader: Reader, filter: ListFilter, after?: Position): Query {
  let query = selected(reader, filter);
  if (after) {
    const { kind, subject_id: id, slug, stamp } = after;
    query = query.where(sql<boolean>`(${ORDER}) > (${kind}, ${id}, ${slug}, ${stamp})`);
  }
  return query.orderBy(ORDER);
}

export async function listInOrder(
  reader: Reader,
  filter: ListFilter,
  limit: number,
  after?: Position,
): Promise<ListedRow[]> {
  return await selectListed(reader, filter, after).limit(limit).execute();
}

/** The one that matters most first. */
export async function listBySalience(
  reader: Reader,
  filter: ListFilter,
  now: number,
  limit: number,
): Promise<ListedRow[]> {
  return await selected(reader, filter)
    .orderBy(salienceSql(now))
    .orderBy('kind')
    .orderBy('subject_id')
    .limit(limit)
    .execute();
}

/** The order of `compareSalience`, told to the database; among equals it goes on by kind and id. */
export const salienceSql = (now: number): RawBuilder<unknown> => sql`lifecycle_rank, health_rank,
  ${phaseRankSql(now)}, resume_adequate DESC, verification_rank DESC, ${ageSecondsSql(now)}`;

const rank = (phase: Phase) => sql.lit(phaseRank(phase));

/** `phaseAt` for the database. */
export function phaseRankSql(now: number): RawBuilder<number> {
  const limits = AGE_LIMITS.map(
    ([phase, limit]) =>
      sql`WHEN ${now} - verified_ms <= stale_seconds * ${sql.lit(limit)} THEN ${rank(phase)}`,
  );
  return sql<number>`CASE
    WHEN expires_ms IS NOT NULL AND ${now} > expires_ms THEN ${rank('expired')}
    WHEN verified_ms IS NULL OR verified_ms = 0 THEN ${rank('expired')}
    WHEN stale_seconds IS NULL THEN ${rank('fresh')}
    ${sql.join(limits, sql` `)}
    ELSE ${rank('expired_by_age')} END`;
}

/** The age of a sort key for the database. Whole seconds by the cast: SQLite takes the time for a number with a fraction. */
export const ageSecondsSql = (now: number): RawBuilder<number> => sql<number>`CASE
  WHEN updated_ms IS NULL THEN ${sql.lit(UNKNOWN_AGE)}
  WHEN updated_ms >= ${now} THEN 0
  ELSE CAST((${now} - updated_ms) / 1000 AS bigint) END`;
