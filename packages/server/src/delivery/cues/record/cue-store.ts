import type { CueListQuery } from '@parley/protocol/delivery/types';
import type { CueStatus, ScheduleType } from '@parley/protocol/delivery/vocabulary';
import { sql as raw } from 'kysely';
import type { Reader, Tx } from '../../../platform/database/database.ts';
import { sql, word } from '../../../platform/database/sql.ts';
import { countOf, given, newestOf } from '../../../platform/database/built.ts';
import { type CuePatchRow, type CueRow, cueTable } from './cue-row.ts';

const ACTIVE = word('active' satisfies CueStatus);
const RECURRING = word('recurring' satisfies ScheduleType);

const named = cueTable.pick('id', 'name');

/** False when the owner has a cue of this name. */
export async function insertCue(tx: Tx, cue: CueRow): Promise<boolean> {
  return await tx.affects(cueTable.insertNew(cue));
}

export function readCue(reader: Reader, ownerId: string, id: string): Promise<CueRow | undefined> {
  return reader.get<CueRow>(cueTable.select`WHERE id = ${id} AND owner_id = ${ownerId}`);
}

/** For the server's own work, whoever owns it. */
export function cueById(reader: Reader, id: string): Promise<CueRow | undefined> {
  return reader.get<CueRow>(cueTable.select`WHERE id = ${id}`);
}

/** Nobody else changes it until the commit. */
export function lockCue(tx: Tx, ownerId: string, id: string): Promise<CueRow | undefined> {
  return tx.get<CueRow>(cueTable.lock(tx, 'UPDATE')`WHERE id = ${id} AND owner_id = ${ownerId}`);
}

export function lockAnyCue(tx: Tx, id: string): Promise<CueRow | undefined> {
  return tx.get<CueRow>(cueTable.lock(tx, 'UPDATE')`WHERE id = ${id}`);
}

/** Many at once, in one order for all, so that two who lock several do not wait for each other. */
export async function lockCues(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, CueRow>> {
  const list = JSON.stringify(ids);
  const rows = await tx.all<CueRow>(
    tx.dialect === 'sqlite'
      ? cueTable.select`WHERE id IN (SELECT value FROM json_each(${list}))`
      : cueTable.select`
          WHERE id = ANY(ARRAY(SELECT jsonb_array_elements_text(${list}::jsonb))) ORDER BY id FOR UPDATE`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export async function patchCue(tx: Tx, id: string, patch: CuePatchRow): Promise<void> {
  await tx.run(cueTable.update(patch)`WHERE id = ${id}`);
}

export interface CueMove {
  readonly id: string;
  readonly nextRun: number | null;
  readonly fired: number;
  readonly skipped: number;
}

/** They fire: where they go on, and what is counted by it. All at once, for many do at a full hour. */
export async function advanceCues(tx: Tx, moves: readonly CueMove[]): Promise<void> {
  if (moves.length === 0) return;
  const moved = JSON.stringify(Object.fromEntries(moves.map(({ id, ...move }) => [id, move])));
  await tx.run(sql`
    UPDATE cues SET next_run = moved.next_run, fired_count = cues.fired_count + moved.fired,
      skipped_count = cues.skipped_count + moved.skipped, executions = cues.executions + moved.fired
    FROM (SELECT key AS id, CAST(value ->> 'nextRun' AS bigint) AS next_run,
      CAST(value ->> 'fired' AS bigint) AS fired, CAST(value ->> 'skipped' AS bigint) AS skipped
      FROM json_each(${moved})) AS moved
    WHERE cues.id = moved.id`);
}

/** Beside its schedule. */
export async function countFire(
  tx: Tx,
  id: string,
  { fired, executions }: { fired: number; executions: number },
): Promise<void> {
  await tx.run(sql`
    UPDATE cues SET fired_count = fired_count + ${fired}, executions = executions + ${executions} WHERE id = ${id}`);
}

export async function countRun(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`UPDATE cues SET run_count = run_count + 1 WHERE id = ${id}`);
}

export interface CueFilter extends CueListQuery {
  /** The agent whose cues are listed beside those of nobody. */
  readonly only: string | undefined;
}

/** The newest first. */
export function cuePage(reader: Reader, ownerId: string, filter: CueFilter): Promise<CueRow[]> {
  return newestOf(matching(reader, ownerId, filter), 'id', filter);
}

export async function countCues(reader: Reader, ownerId: string, filter: CueFilter): Promise<number> {
  return await countOf(matching(reader, ownerId, filter));
}

function matching(reader: Reader, ownerId: string, { status, only }: CueFilter) {
  let query = cueTable.from(reader).where((is) => is.and(given({ owner_id: ownerId, status })));
  if (only !== undefined) query = query.where(raw<boolean>`(agent IS NULL OR agent = ${only})`);
  return query;
}

export async function nameTaken(
  reader: Reader,
  ownerId: string,
  name: string,
  except: string,
): Promise<boolean> {
  return await reader.exists(sql`
    SELECT id FROM cues WHERE owner_id = ${ownerId} AND name = ${name} AND id <> ${except}`);
}

/** The names that are shown with their executions. */
export async function cueNames(reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await named.among(reader, 'id', ids);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Those of all owners that are active and come again, by id. */
export async function recurringAfter(reader: Reader, after: string, limit: number): Promise<string[]> {
  return await reader.values<string>(sql`
    SELECT id FROM cues WHERE id > ${after} AND status = ${ACTIVE} AND schedule_type = ${RECURRING}
    ORDER BY id LIMIT ${limit}`);
}

/** Whether any run ended after a time. */
export async function someRanLater(reader: Reader, time: number): Promise<boolean> {
  return await reader.exists(sql`SELECT id FROM cues WHERE last_run > ${time} LIMIT 1`);
}

export async function deleteCue(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`DELETE FROM cue_fire_keys WHERE cue_id = ${id}`);
  await tx.run(sql`DELETE FROM cues WHERE id = ${id}`);
}
