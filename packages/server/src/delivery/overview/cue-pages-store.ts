import { CUE_STATUSES, type CueStatus } from '@parley/protocol/delivery/vocabulary';
import { given, newest, together } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { type CueRow, cueTable } from '../cues/record/cue-row.ts';
import { pageAfter, type Place } from './place.ts';

/** A cue as a list shows it: without what it says. */
const listed = cueTable.pick(
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
);

export type ListedCue = RowOf<typeof listed>;

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
  const { ownerId, agent, limit } = ask;
  const parts = (ask.status === undefined ? CUE_STATUSES : [ask.status]).map((status) =>
    listed
      .from(reader)
      .select(listed.names)
      .where((is) => is.and(given({ status, owner_id: ownerId, agent })))
      .$call(pageAfter('created_at', 'id', ask)),
  );
  const page = together(reader, parts)?.$call(newest('created_at', 'id', limit));
  return (await page?.execute()) ?? [];
}

/** Active cues that are due until a moment, the first due first. */
export async function cuesComing(
  reader: Reader,
  ownerId: string | undefined,
  agent: string | undefined,
  until: number,
  limit: number,
): Promise<CueRow[]> {
  return await cueTable
    .from(reader)
    .selectAll()
    .where('status', '=', 'active')
    .where('next_run', 'is not', null)
    .where('next_run', '<=', until)
    .orderBy('next_run')
    .limit(limit)
    .where((is) => is.and(given({ owner_id: ownerId, agent })))
    .execute();
}
