import type { Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface NewSession {
  readonly id: string;
  readonly ownerId: string;
  readonly agentSuffix: string;
  readonly keyId: string;
  readonly hash: string;
  readonly now: number;
  readonly expiresAt: number;
}

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  const { id, ownerId, agentSuffix, keyId, hash, now, expiresAt } = session;
  await tx.run(sql`
    INSERT INTO sessions (id, owner_id, agent_suffix, key_id, hash, created_at, expires_at)
    VALUES (${id}, ${ownerId}, ${agentSuffix}, ${keyId}, ${hash}, ${now}, ${expiresAt})`);
}

/** What nobody can use any more goes when its agent logs in again, so that sessions do not pile up. */
export async function dropOver(tx: Tx, agentSuffix: string, now: number): Promise<void> {
  await tx.run(sql`
    DELETE FROM sessions
    WHERE agent_suffix = ${agentSuffix} AND (ended_at IS NOT NULL OR expires_at <= ${now})`);
}

/** False when it had ended already. */
export async function markEnded(tx: Tx, ownerId: string, sessionId: string, now: number): Promise<boolean> {
  const changed = await tx.run(sql`
    UPDATE sessions SET ended_at = ${now}
    WHERE id = ${sessionId} AND owner_id = ${ownerId} AND ended_at IS NULL AND expires_at > ${now}`);
  return changed === 1;
}

export function markAllEnded(tx: Tx, ownerId: string, agentSuffix: string, now: number): Promise<EndedRow[]> {
  return tx.all<EndedRow>(sql`
    UPDATE sessions SET ended_at = ${now}
    WHERE agent_suffix = ${agentSuffix} AND owner_id = ${ownerId} AND ended_at IS NULL AND expires_at > ${now}
    RETURNING id`);
}

/** The sessions that a key opened end with it. */
export function markEndedOfKey(tx: Tx, ownerId: string, keyId: string, now: number): Promise<EndedRow[]> {
  return tx.all<EndedRow>(sql`
    UPDATE sessions SET ended_at = ${now}
    WHERE key_id = ${keyId} AND owner_id = ${ownerId} AND ended_at IS NULL AND expires_at > ${now}
    RETURNING id`);
}

export async function moveToKey(tx: Tx, ownerId: string, sessionId: string, keyId: string): Promise<void> {
  await tx.run(sql`UPDATE sessions SET key_id = ${keyId} WHERE id = ${sessionId} AND owner_id = ${ownerId}`);
}

export interface EndedRow {
  readonly id: string;
}
