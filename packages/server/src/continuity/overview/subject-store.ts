import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { HEALTH_STATUSES } from '@parley/protocol/continuity/vocabulary';
import { type Kysely, sql as raw } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { ACTIVE, type ArtifactRow } from '../artifacts/artifact-table.ts';
import type { RevisionRow } from '../artifacts/revision-store.ts';
import { ageSecondsSql, type ListedRow, listedColumns, phaseRankSql } from '../list/list-store.ts';

interface Tables {
  continuity_artifacts: ArtifactRow;
  continuity_revisions: RevisionRow;
}

export interface SubjectAsk {
  /** Whose; undefined: everybody's. */
  readonly ownerId: string | undefined;
  readonly kind: SubjectKind | undefined;
  /** The place in `HEALTH_STATUSES`; undefined: any. */
  readonly health: number | undefined;
  /** Who wrote what it says now. */
  readonly writer: string | undefined;
  readonly order: 'salience' | 'updated';
  readonly offset: number;
  readonly limit: number;
}

export interface SubjectRow extends ListedRow {
  readonly owner_id: string;
  readonly peer_id: string;
}

/** Salience changes with every second, so no index has its order: as many of what changed last are put into it. */
const LOOKED_AT = 1_000;

const ranks = HEALTH_STATUSES.map((_, rank) => rank);

/** Active capsules: of each health those that changed last, from an index. */
export async function subjectsLately(reader: Reader, ask: SubjectAsk, now: number): Promise<SubjectRow[]> {
  const db = reader.kysely<Tables>();
  const [first, ...others] = (ask.health === undefined ? ranks : [ask.health]).map((rank) =>
    latest(db, ask, rank),
  );
  if (!first) return [];
  const candidates = others.reduce((all, next) => all.unionAll(next), first);
  let query = db
    .selectFrom(candidates.as('s'))
    .innerJoin('continuity_revisions as r', 'r.id', 's.revision_id')
    .selectAll('s')
    .select('r.peer_id');
  if (ask.writer !== undefined) query = query.where('r.peer_id', '=', ask.writer);
  const ordered =
    ask.order === 'updated'
      ? query.orderBy('s.updated_ms', 'desc')
      : query
          .orderBy('s.lifecycle_rank')
          .orderBy('s.health_rank')
          .orderBy(phaseRankSql(now))
          .orderBy('s.resume_adequate', 'desc')
          .orderBy('s.verification_rank', 'desc')
          .orderBy(ageSecondsSql(now));
  return await ordered
    .orderBy('s.kind')
    .orderBy('s.subject_id')
    .limit(ask.limit)
    .offset(ask.offset)
    .execute();
}

function latest(db: Kysely<Tables>, { ownerId, kind }: SubjectAsk, rank: number) {
  let query = db
    .selectFrom('continuity_artifacts')
    .select([...listedColumns, 'owner_id', 'revision_id'])
    // Written out, so that the indexes of active capsules alone are seen to fit.
    .where('state', '=', raw.lit(ACTIVE))
    .where('health_rank', '=', rank)
    .where('readable', '=', 1)
    .where('updated_ms', 'is not', null)
    .orderBy('updated_ms', 'desc')
    .limit(LOOKED_AT);
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  // A part of a union that has an order of its own has to be a table for both databases.
  return db.selectFrom(query.as('part')).selectAll();
}

export interface Peer {
  readonly ownerId: string;
  readonly peer: string;
}

export interface LastWrite {
  readonly owner_id: string;
  readonly peer_id: string;
  readonly at: number | null;
}

/** When each of some peers last wrote a capsule: for each the end of its stretch of an index, all in one statement. */
export async function lastWritesOf(reader: Reader, peers: readonly Peer[]): Promise<readonly LastWrite[]> {
  if (peers.length === 0) return [];
  const wanted = raw.join(peers.map(({ ownerId, peer }) => raw`(${ownerId}, ${peer})`));
  const { rows } = await raw<LastWrite>`
    WITH wanted (owner_id, peer_id) AS (VALUES ${wanted})
    SELECT owner_id, peer_id, (SELECT max(r.recorded_at) FROM continuity_revisions r
      WHERE r.owner_id = wanted.owner_id AND r.peer_id = wanted.peer_id) AS at
    FROM wanted`.execute(reader.kysely());
  return rows;
}

/** How many revisions were written by stretch of time. */
export function revisionCountsSince(
  reader: Reader,
  ownerId: string | undefined,
  since: number,
  step: number,
): Promise<{ bucket: number; n: number }[]> {
  return ownerId === undefined
    ? reader.all(sql`
        SELECT CAST((recorded_at - ${since}) / ${step} AS bigint) AS bucket, count(*) AS n FROM continuity_revisions
        WHERE recorded_at >= ${since} GROUP BY 1`)
    : reader.all(sql`
        SELECT CAST((recorded_at - ${since}) / ${step} AS bigint) AS bucket, count(*) AS n FROM continuity_revisions
        WHERE recorded_at >= ${since} AND owner_id = ${ownerId} GROUP BY 1`);
}
