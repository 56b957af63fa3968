import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';
import { LATE_BEAT_MS } from '../routing/freshness.ts';

const sessionTable = table('live_sessions', {
  id: column<string>(),
  owner_id: column<string>(),
  agent: column<string>(),
  label: column<string>(),
  task_name: column<string>(),
  slug: column<string>(),
  cue_id: column<string>(),
  is_default: column<number>(),
  monitor_version: column<string | null>(),
  session_token: column<string | null>(),
  session_token_hash: column<string | null>(),
  attestation_key: column<string | null>(),
  attached_at: column<number>(),
  beat_at: column<number>(),
  last_claim_at: column<number | null>(),
  detached_at: column<number | null>(),
  detached_reason: column<string | null>(),
});

export type SessionRow = RowOf<typeof sessionTable>;

/** False when an attached session has the label, the default or the cue id. */
export async function insertLiveSession(tx: Tx, session: SessionRow): Promise<boolean> {
  return await tx.affects(sessionTable.insertNew(session));
}

export function attachedSessions(reader: Reader, agent: string): Promise<SessionRow[]> {
  return reader.all<SessionRow>(sessionTable.select`
    WHERE agent = ${agent} AND detached_at IS NULL
    ORDER BY attached_at DESC, id DESC`);
}

/** Attached and detached ones, newest first. */
export function allSessions(reader: Reader, agent: string): Promise<SessionRow[]> {
  return reader.all<SessionRow>(sessionTable.select`
    WHERE agent = ${agent} ORDER BY attached_at DESC, id DESC`);
}

export async function attachedSessionsOf(reader: Reader, agents: readonly string[]): Promise<SessionRow[]> {
  if (agents.length === 0) return [];
  return await sessionTable
    .from(reader)
    .selectAll()
    .where('agent', 'in', agents)
    .where('detached_at', 'is', null)
    .orderBy('attached_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export function attachedSession(
  reader: Reader,
  agent: string,
  label: string,
): Promise<SessionRow | undefined> {
  return reader.get<SessionRow>(sessionTable.select`
    WHERE agent = ${agent} AND label = ${label} AND detached_at IS NULL`);
}

export function sessionById(reader: Reader, id: string): Promise<SessionRow | undefined> {
  return reader.get<SessionRow>(sessionTable.select`WHERE id = ${id}`);
}

export const sessionsById = (reader: Reader, ids: readonly string[]): Promise<SessionRow[]> =>
  sessionTable.among(reader, 'id', ids);

/** The agent with an attached session whose task name stands for the slug; of several, the one that beat last. */
export async function agentOfTask(
  reader: Reader,
  ownerId: string,
  slug: string,
): Promise<string | undefined> {
  return await reader.value<string>(sql`
    SELECT agent FROM live_sessions WHERE owner_id = ${ownerId} AND slug = ${slug} AND detached_at IS NULL
    ORDER BY beat_at DESC LIMIT 1`);
}

/** The attached sessions of an owner that were made for a cue, or for its task. */
export function sessionsForCue(
  reader: Reader,
  ownerId: string,
  { cueId, task }: { cueId: string; task: string | null },
): Promise<SessionRow[]> {
  return reader.all<SessionRow>(sessionTable.select`
    WHERE owner_id = ${ownerId} AND detached_at IS NULL AND (cue_id = ${cueId} OR task_name = ${task})`);
}

/** Of one attached session; false when it is not attached any more. */
export async function beatSession(
  tx: Tx,
  id: string,
  { now, monitorVersion }: { now: number; monitorVersion: string | null },
): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE live_sessions SET
      beat_at = CASE WHEN beat_at > ${now} AND beat_at <= ${now + LATE_BEAT_MS} THEN beat_at ELSE ${now} END,
      monitor_version = COALESCE(${monitorVersion}, monitor_version)
    WHERE id = ${id} AND detached_at IS NULL`);
}

/** That is a sign of life. */
export async function noteClaim(tx: Tx, id: string, now: number): Promise<void> {
  await tx.run(sql`
    UPDATE live_sessions SET
      last_claim_at = ${now},
      beat_at = CASE WHEN beat_at > ${now} AND beat_at <= ${now + LATE_BEAT_MS} THEN beat_at ELSE ${now} END
    WHERE id = ${id}`);
}

export async function setToken(
  tx: Tx,
  id: string,
  { sealed, hash }: { sealed: string; hash: string },
): Promise<void> {
  await tx.run(sql`
    UPDATE live_sessions SET session_token = ${sealed}, session_token_hash = ${hash} WHERE id = ${id}`);
}

/** Never zero and never two: the old default goes and the new one comes in one transaction. */
export async function moveDefault(tx: Tx, agent: string, id: string): Promise<void> {
  await tx.run(sql`
    UPDATE live_sessions SET is_default = 0 WHERE agent = ${agent} AND detached_at IS NULL AND is_default = 1`);
  await tx.run(sql`UPDATE live_sessions SET is_default = 1 WHERE id = ${id}`);
}

/** False when it was detached before. */
export async function markDetached(tx: Tx, id: string, now: number, reason: string): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE live_sessions SET detached_at = ${now}, detached_reason = ${reason}
    WHERE id = ${id} AND detached_at IS NULL`);
}

/** Nobody attaches or detaches a session of the agent before the commit. */
export const lockSessions = (tx: Tx, agent: string): Promise<void> => tx.lock(`delivery.sessions:${agent}`);

/** False when it is not attached; else nobody detaches it before the commit. */
export async function holdAttached(tx: Tx, id: string): Promise<boolean> {
  const held = sessionTable.lock(tx, 'SHARE')`WHERE id = ${id} AND detached_at IS NULL`;
  return await tx.exists(held);
}

/** Of all agents of an owner. */
export async function countAttached(reader: Reader, ownerId: string): Promise<number> {
  return await reader.total(sql`
    SELECT count(*) AS total FROM live_sessions WHERE owner_id = ${ownerId} AND detached_at IS NULL`);
}
