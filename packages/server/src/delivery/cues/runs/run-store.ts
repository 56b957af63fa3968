import type { ExecutionSource, ExecutionStatus, Trigger } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../../platform/database/database.ts';
import { sql, word } from '../../../platform/database/sql.ts';
import { type ExecutionRow, executionTable } from '../../records/execution-row.ts';
import type { RecordTables } from '../../records/record-tables.ts';
import { RUN_OVERHEAD_BYTES } from '../../tables/cue-tables.ts';
import { CUE, LIVE, OPEN, OVER, PENDING } from '../../records/execution-states.ts';

const SCHEDULED = word('scheduled' satisfies Trigger);
const MESSAGE = word('message' satisfies ExecutionSource & Trigger);
const SUCCESS = word('success' satisfies ExecutionStatus);

/** The runs of cues, as the rules of cues ask for them. */

/**
 * Word for word the condition of the index, without those that were fired by hand for a time to come: they have neither set
 * out nor do they wait behind another.
 */
export async function hasOpenRun(reader: Reader, cueId: string): Promise<boolean> {
  return await reader.exists(sql`
    SELECT id FROM executions WHERE cue_id = ${cueId} AND source = ${CUE}
      AND status IN ${OPEN} AND (channel IS NOT NULL OR held = 1) LIMIT 1`);
}

/** The oldest that waits behind another, when none is under way. */
export async function nextQueued(reader: Reader, cueId: string): Promise<string | undefined> {
  const [first] = await reader.all<{ id: string; held: number; channel: string | null }>(sql`
    SELECT id, held, channel FROM executions WHERE cue_id = ${cueId} AND source = ${CUE}
      AND status IN ${OPEN} AND (channel IS NOT NULL OR held = 1)
    ORDER BY CASE WHEN held = 1 AND channel IS NULL THEN 1 ELSE 0 END, scheduled_for, id LIMIT 1`);
  return first?.held === 1 && first.channel === null ? first.id : undefined;
}

export async function countQueued(reader: Reader, cueId: string): Promise<number> {
  return await reader.total(sql`
    SELECT count(*) AS waiting FROM executions WHERE cue_id = ${cueId} AND source = ${CUE}
      AND status IN ${OPEN}
      AND held = 1 AND channel IS NULL`);
}

export function runsOf(
  reader: Reader,
  cueId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ExecutionRow[]> {
  return reader.all<ExecutionRow>(executionTable.select`
    WHERE cue_id = ${cueId} AND source = ${CUE} ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`);
}

/** Which of some times have a run already, by its time. */
export async function runsAt(
  reader: Reader,
  cueId: string,
  { from, to }: { from: number; to: number },
): Promise<ReadonlyMap<number, string>> {
  const rows = await reader.all<{ id: string; scheduled_for: number }>(sql`
    SELECT id, scheduled_for FROM executions
    WHERE cue_id = ${cueId} AND triggered_by = ${SCHEDULED} AND scheduled_for >= ${from} AND scheduled_for <= ${to}`);
  return new Map(rows.map(({ id, scheduled_for: at }) => [at, id]));
}

/** The cues that led to an execution, itself included, as far as a chain may go. */
export async function chainOf(reader: Reader, execution: ExecutionRow): Promise<ReadonlySet<string>> {
  const cues = new Set([execution.cue_id]);
  let parent = execution.chain_parent_id;
  while (parent !== null) {
    const row = await reader.get<{ cue_id: string; chain_parent_id: string | null }>(sql`
      SELECT cue_id, chain_parent_id FROM executions WHERE id = ${parent}`);
    if (!row) break;
    cues.add(row.cue_id);
    parent = row.chain_parent_id;
  }
  return cues;
}

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

/** The live sessions that are offered a run of a cue. */
export async function sessionsOffered(reader: Reader, cueId: string): Promise<string[]> {
  return await reader.values<string>(sql`
    SELECT DISTINCT session_id FROM executions WHERE cue_id = ${cueId} AND source = ${CUE}
      AND status IN ${OPEN} AND status = ${PENDING} AND channel = ${LIVE} AND session_id IS NOT NULL`);
}

/** How many bytes the payload of a run has. */
export interface RunSize {
  readonly size: number;
}

export const bytesOfRuns = (runs: readonly RunSize[]): number =>
  runs.reduce((sum, { size }) => sum + size + RUN_OVERHEAD_BYTES, 0);

/** The oldest that were over before a time. One that lies in an inbox is kept as long as its message. */
export function runsOverSince(
  reader: Reader,
  cueId: string,
  before: number,
  limit: number,
): Promise<({ id: string } & RunSize)[]> {
  return reader.all(sql`
    SELECT id, COALESCE(octet_length(payload), 0) AS size FROM executions
    WHERE cue_id = ${cueId} AND created_at <= ${before} AND source = ${CUE} AND message_id IS NULL
      AND status IN ${OVER} AND updated_at <= ${before}
    ORDER BY created_at, id LIMIT ${limit}`);
}

export async function deleteSomeRuns(tx: Tx, ids: readonly string[]): Promise<void> {
  const tables = tx.kysely<RecordTables & { delivery_attempts: { execution_id: string } }>();
  await tables.deleteFrom('execution_outcomes').where('execution_id', 'in', ids).execute();
  await tables.deleteFrom('delivery_attempts').where('execution_id', 'in', ids).execute();
  await tables.deleteFrom('executions').where('id', 'in', ids).execute();
}

/**
 * The runs of a cue go with it. One that lies in an inbox as a message is from now on that message's own: whoever has it may
 * still read and answer it. Returns how many are gone, and how many bytes are free.
 */
export async function deleteRuns(tx: Tx, cueId: string): Promise<{ removed: number; bytes: number }> {
  const all = await tx.all<RunSize>(sql`
    SELECT COALESCE(octet_length(payload), 0) AS size FROM executions WHERE cue_id = ${cueId} AND source = ${CUE}`);
  await tx.run(sql`
    UPDATE executions SET source = ${MESSAGE}, triggered_by = ${MESSAGE}, payload = NULL,
      cue_id = 'cue_' || COALESCE(target, agent)
    WHERE cue_id = ${cueId} AND source = ${CUE} AND message_id IS NOT NULL`);
  await tx.run(sql`
    DELETE FROM execution_outcomes WHERE execution_id IN (
      SELECT id FROM executions WHERE cue_id = ${cueId} AND source = ${CUE})`);
  await tx.run(sql`
    DELETE FROM delivery_attempts WHERE execution_id IN (
      SELECT id FROM executions WHERE cue_id = ${cueId} AND source = ${CUE})`);
  const removed = await tx.run(sql`DELETE FROM executions WHERE cue_id = ${cueId} AND source = ${CUE}`);
  return { removed, bytes: bytesOfRuns(all) };
}
