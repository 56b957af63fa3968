import type { Reader, Tx } from '../platform/database/database.ts';
import { sql } from '../platform/database/sql.ts';

export interface RoomTokenRow {
  readonly roomId: string;
  readonly agent: string;
}

/** Takes the place of the token the agent had for this room. */
export async function putToken(
  tx: Tx,
  { roomId, agent }: RoomTokenRow,
  hash: string,
  expiresAt: number,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO room_tokens (room_id, agent, hash, expires_at) VALUES (${roomId}, ${agent}, ${hash}, ${expiresAt})
    ON CONFLICT (room_id, agent) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`);
}

export function findToken(reader: Reader, hash: string, now: number): Promise<RoomTokenRow | undefined> {
  return reader.get<RoomTokenRow>(sql`
    SELECT room_id AS "roomId", agent AS "agent" FROM room_tokens WHERE hash = ${hash} AND expires_at > ${now}`);
}

export async function deleteTokens(tx: Tx, roomId: string): Promise<void> {
  await tx.run(sql`DELETE FROM room_tokens WHERE room_id = ${roomId}`);
}
