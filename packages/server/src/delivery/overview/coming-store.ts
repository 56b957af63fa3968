import type { Reader } from '../../platform/database/database.ts';
import type { CueRow } from '../cues/record/cue-row.ts';

interface Tables {
  cues: CueRow;
}

/** Active cues that are due until a moment, the first due first. */
export async function cuesComing(
  reader: Reader,
  ownerId: string | undefined,
  agent: string | undefined,
  until: number,
  limit: number,
): Promise<CueRow[]> {
  let query = reader
    .kysely<Tables>()
    .selectFrom('cues')
    .selectAll()
    .where('status', '=', 'active')
    .where('next_run', 'is not', null)
    .where('next_run', '<=', until)
    .orderBy('next_run')
    .limit(limit);
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (agent !== undefined) query = query.where('agent', '=', agent);
  return await query.execute();
}
