import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

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
