import type { Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

/** The code itself is not kept. */
export async function insertInvite(tx: Tx, hash: string, now: number, expiresAt: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO invites (hash, created_at, expires_at) VALUES (${hash}, ${now}, ${expiresAt})`);
}

export async function removeLapsedInvites(tx: Tx, now: number): Promise<void> {
  await tx.run(sql`DELETE FROM invites WHERE used_at IS NULL AND expires_at <= ${now}`);
}

/** Once: false for whoever comes second, or too late. */
export async function markInviteUsed(tx: Tx, hash: string, now: number): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE invites SET used_at = ${now} WHERE hash = ${hash} AND used_at IS NULL AND expires_at > ${now}`);
}

export async function setInviteUser(tx: Tx, hash: string, ownerId: string): Promise<void> {
  await tx.run(sql`UPDATE invites SET used_by = ${ownerId} WHERE hash = ${hash}`);
}
