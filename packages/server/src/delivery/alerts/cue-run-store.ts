import type { ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import type { Reader } from '../../platform/database/database.ts';
import { sql, word } from '../../platform/database/sql.ts';
import { CUE, OVER } from '../records/execution-states.ts';

const SUCCESS = word('success' satisfies ExecutionStatus);

/** The latest runs of a cue that are over, newest first: 1 for each that failed, also where only its outcome says so. */
export async function latestFailures(reader: Reader, cueId: string, count: number): Promise<boolean[]> {
  const failed = await reader.values<number>(sql`
    SELECT CASE WHEN status <> ${SUCCESS} OR outcome_success = 0 THEN 1 ELSE 0 END AS failed FROM executions
    WHERE cue_id = ${cueId} AND source = ${CUE} AND status IN ${OVER}
    ORDER BY created_at DESC, id DESC LIMIT ${count}`);
  return failed.map((each) => each === 1);
}

/** When a run of a cue, made since a time, last came to be known as a success. */
export async function latestSuccess(
  reader: Reader,
  cueId: string,
  since: number,
): Promise<number | undefined> {
  return await reader.value<number>(sql`
    SELECT max(updated_at) AS at FROM executions
    WHERE cue_id = ${cueId} AND source = ${CUE} AND created_at >= ${since}
      AND status = ${SUCCESS} AND (outcome_success IS NULL OR outcome_success = 1)`);
}
