import type { Credential } from '../../wire/caller.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface RoomTokenRow {
  readonly roomId: string;
  readonly agent: string;
  /** What minted it, and ends it. */
  readonly credentialKind: Credential['kind'];
  readonly credentialId: string;
}

/** Takes the place of the token the agent had for this room. */
export async function putToken(
  tx: Tx,
  { roomId, agent, credentialKind, credentialId }: RoomTokenRow,
  hash: string,
  expiresAt: number,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO room_tokens (room_id, agent, hash, expires_at, credential_kind, credential_id)
    VALUES (${roomId}, ${agent}, ${hash}, ${expiresAt}, ${credentialKind}, ${credentialId})
    ON CONFLICT (room_id, agent) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at,
      credential_kind = excluded.credential_kind, credential_id = excluded.credential_id`);
}

export function findToken(reader: Reader, hash: string, now: number): Promise<RoomTokenRow | undefined> {
  return reader.get<RoomTokenRow>(sql`
    SELECT room_id AS "roomId", agent AS "agent", credential_kind AS "credentialKind", credential_id AS "credentialId"
    FROM room_tokens WHERE hash = ${hash} AND expires_at > ${now} AND credential_id IS NOT NULL`);
}

export async function deleteTokens(tx: Tx, roomId: string): Promise<void> {
  await tx.run(sql`DELETE FROM room_tokens WHERE room_id = ${roomId}`);
}
