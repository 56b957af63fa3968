import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { keyed } from './room-list-store.ts';

export interface Counted {
  readonly bucket: number;
  readonly n: number;
}

/** How many turns were taken by stretch of time; of some agents, or of all. */
export function turnCountsSince(
  reader: Reader,
  senders: readonly string[] | undefined,
  since: number,
  step: number,
): Promise<Counted[]> {
  return senders === undefined
    ? reader.all<Counted>(sql`
        SELECT CAST((created_at - ${since}) / ${step} AS bigint) AS bucket, count(*) AS n FROM room_messages
        WHERE created_at >= ${since} GROUP BY 1`)
    : reader.all<Counted>(sql`
        SELECT CAST((created_at - ${since}) / ${step} AS bigint) AS bucket, count(*) AS n FROM room_messages
        WHERE created_at >= ${since} AND sender IN (SELECT key FROM json_each(${keyed(senders)})) GROUP BY 1`);
}
