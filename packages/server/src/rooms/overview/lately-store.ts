import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface Counted {
  readonly bucket: number;
  readonly n: number;
}

/** How many turns were taken by stretch of time; by the agents of one account, or by all. */
export function turnCountsSince(
  reader: Reader,
  ownerId: string | undefined,
  since: number,
  step: number,
): Promise<Counted[]> {
  return ownerId === undefined
    ? reader.all<Counted>(sql`
        SELECT CAST((created_at - ${since}) / ${step} AS bigint) AS bucket, count(*) AS n FROM room_messages
        WHERE created_at >= ${since} GROUP BY 1`)
    : reader.all<Counted>(sql`
        SELECT CAST((m.created_at - ${since}) / ${step} AS bigint) AS bucket, count(*) AS n FROM room_messages m
        JOIN room_participants p ON p.room_id = m.room_id AND p.agent = m.sender
        WHERE m.created_at >= ${since} AND p.owner_id = ${ownerId} GROUP BY 1`);
}
