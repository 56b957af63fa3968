import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

/** One row per room and account, so that whoever holds the room's lock waits for nobody else. */
export async function addTextBytes(tx: Tx, roomId: string, ownerId: string, bytes: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO room_text_bytes (room_id, owner_id, bytes) VALUES (${roomId}, ${ownerId}, ${bytes})
    ON CONFLICT (room_id, owner_id) DO UPDATE SET bytes = room_text_bytes.bytes + excluded.bytes`);
}

export async function textBytesOf(reader: Reader, ownerId: string): Promise<number> {
  return await reader.total(sql`SELECT sum(bytes) AS bytes FROM room_text_bytes WHERE owner_id = ${ownerId}`);
}
