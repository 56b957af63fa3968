import { given } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type CueRow, cueTable } from '../cues/record/cue-row.ts';

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
