import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { HEALTH_STATUSES } from '@parley/protocol/continuity/vocabulary';
import { sql as raw } from 'kysely';
import {
  type CountAsk,
  type Counted,
  countsSince,
  given,
  type PageAsk,
  together,
} from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import { ACTIVE, artifacts } from '../artifacts/artifact-table.ts';
import { type RevisionRow, revisions } from '../artifacts/revision-store.ts';
import { type ListedRow, listedColumns, salienceSql } from '../list/list-store.ts';

export interface SubjectAsk extends PageAsk {
  readonly kind: SubjectKind | undefined;
  /** The place in `HEALTH_STATUSES`; undefined: any. */
  readonly health: number | undefined;
  /** Who wrote what it says now. */
  readonly writer: string | undefined;
  readonly order: 'salience' | 'updated';
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
  const parts = (ask.health === undefined ? ranks : [ask.health]).map((rank) => latest(reader, ask, rank));
  const candidates = together(reader, parts);
  if (!candidates) return [];
  let query = reader
    .kysely<{ continuity_revisions: RevisionRow }>()
    .selectFrom(candidates.as('s'))
    .innerJoin('continuity_revisions as r', 'r.id', 's.revision_id')
    .selectAll('s')
    .select('r.peer_id');
  if (ask.writer !== undefined) query = query.where('r.peer_id', '=', ask.writer);
  return await query
    .orderBy(ask.order === 'updated' ? raw`s.updated_ms DESC` : salienceSql(now))
    .orderBy('s.kind')
    .orderBy('s.subject_id')
    .limit(ask.limit)
    .offset(ask.offset)
    .execute();
}

const latest = (reader: Reader, { ownerId, kind }: SubjectAsk, rank: number) =>
  artifacts
    .from(reader)
    .select([...listedColumns, 'owner_id', 'revision_id'])
    // Written out, so that the indexes of active capsules alone are seen to fit.
    .where('state', '=', raw.lit(ACTIVE))
    .where('health_rank', '=', rank)
    .where('readable', '=', 1)
    .where('updated_ms', 'is not', null)
    .where((is) => is.and(given({ owner_id: ownerId, kind })))
    .orderBy('updated_ms', 'desc')
    .limit(LOOKED_AT);

export interface Peer {
  readonly ownerId: string;
  readonly peer: string;
}

/** When each of some peers last wrote a capsule: for each the end of its stretch of an index, all in one statement. */
export async function lastWritesOf(reader: Reader, peers: readonly Peer[]) {
  if (peers.length === 0) return [];
  const wanted = raw.join(peers.map(({ ownerId, peer }) => raw`(${ownerId}, ${peer})`));
  const { rows } = await raw<{ owner_id: string; peer_id: string; at: number | null }>`
    WITH wanted (owner_id, peer_id) AS (VALUES ${wanted})
    SELECT owner_id, peer_id, (SELECT max(r.recorded_at) FROM continuity_revisions r
      WHERE r.owner_id = wanted.owner_id AND r.peer_id = wanted.peer_id) AS at
    FROM wanted`.execute(reader.kysely());
  return rows;
}

/** How many revisions were written by stretch of time. */
export const revisionCountsSince = (reader: Reader, ask: CountAsk): Promise<Counted[]> =>
  countsSince(
    revisions.from(reader).where((is) => is.and(given({ owner_id: ask.ownerId }))),
    'recorded_at',
    ask,
  );
