import type { Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type NewRowOf, table } from '../../platform/database/table.ts';

const newSessionTable = table('sessions', {
  id: column<string>(),
  owner_id: column<string>(),
  agent_suffix: column<string>(),
  key_id: column<string>(),
  hash: column<string>(),
  created_at: column<number>(),
  expires_at: column<number>(),
});

export async function insertSession(tx: Tx, session: NewRowOf<typeof newSessionTable>): Promise<void> {
  await tx.run(newSessionTable.insert(session));
}

/** What nobody can use any more goes when its agent logs in again, so that sessions do not pile up. */
export async function dropOver(tx: Tx, agentSuffix: string, now: number): Promise<void> {
  await tx.run(sql`
    DELETE FROM sessions
    WHERE agent_suffix = ${agentSuffix} AND (ended_at IS NOT NULL OR expires_at <= ${now})`);
}

/** False when it had ended already. */
export async function markEnded(tx: Tx, ownerId: string, sessionId: string, now: number): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE sessions SET ended_at = ${now}
    WHERE id = ${sessionId} AND owner_id = ${ownerId} AND ended_at IS NULL AND expires_at > ${now}`);
}

/** The ids of those that ended. */
export async function markAllEnded(
  tx: Tx,
  ownerId: string,
  agentSuffix: string,
  now: number,
): Promise<string[]> {
  return await tx.values<string>(sql`
    UPDATE sessions SET ended_at = ${now}
    WHERE agent_suffix = ${agentSuffix} AND owner_id = ${ownerId} AND ended_at IS NULL AND expires_at > ${now}
    RETURNING id`);
}

/** The sessions that a key opened end with it. */
export async function markEndedOfKey(tx: Tx, ownerId: string, keyId: string, now: number): Promise<string[]> {
  return await tx.values<string>(sql`
    UPDATE sessions SET ended_at = ${now}
    WHERE key_id = ${keyId} AND owner_id = ${ownerId} AND ended_at IS NULL AND expires_at > ${now}
    RETURNING id`);
}

export async function moveToKey(tx: Tx, ownerId: string, sessionId: string, keyId: string): Promise<void> {
  await tx.run(sql`UPDATE sessions SET key_id = ${keyId} WHERE id = ${sessionId} AND owner_id = ${ownerId}`);
}
