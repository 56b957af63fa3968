import { CUE_STATUSES, type CueStatus } from '@parley/protocol/delivery/vocabulary';
import type { Kysely } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import type { CueRow } from '../cues/record/cue-row.ts';
import { before, type Place } from './place.ts';

const CUE = [
  'id',
  'owner_id',
  'name',
  'status',
  'schedule_type',
  'cron',
  'at',
  'timezone',
  'transport',
  'agent',
  'next_run',
  'created_at',
] as const;

/** A cue as a list shows it: without what it says. */
export type ListedCue = Pick<CueRow, (typeof CUE)[number]>;

interface Tables {
  cues: CueRow;
}

export interface CueAsk {
  /** Whose; undefined: everybody's. */
  readonly ownerId: string | undefined;
  /** By suffix. */
  readonly agent: string | undefined;
  readonly status: CueStatus | undefined;
  readonly after: Place | undefined;
  readonly limit: number;
}

/** Newest first: each state is a stretch of an index that has this order. */
export async function cuesLately(reader: Reader, ask: CueAsk): Promise<ListedCue[]> {
  const kysely = reader.kysely<Tables>();
  const [first, ...others] = (ask.status === undefined ? CUE_STATUSES : [ask.status]).map((status) =>
    // A part of a union that has an order of its own has to be a table for both databases.
    kysely.selectFrom(stretch(kysely, ask, status).as('part')).selectAll(),
  );
  if (!first) return [];
  return await kysely
    .selectFrom(others.reduce((all, next) => all.unionAll(next), first).as('parts'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(ask.limit)
    .execute();
}

function stretch(kysely: Kysely<Tables>, { ownerId, agent, after, limit }: CueAsk, status: CueStatus) {
  let query = kysely
    .selectFrom('cues')
    .select(CUE)
    .where('status', '=', status)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (agent !== undefined) query = query.where('agent', '=', agent);
  return after ? query.where(before('created_at', 'id', after)) : query;
}
