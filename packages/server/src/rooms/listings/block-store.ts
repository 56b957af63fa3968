import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface StoredBlock {
  readonly blocked: string;
  readonly createdAt: number;
}

export async function isBlocked(reader: Reader, agent: string, other: string): Promise<boolean> {
  const row = await reader.get(sql`
    SELECT blocked FROM room_blocks WHERE agent = ${agent} AND blocked = ${other}`);
  return row !== undefined;
}

export function findBlocks(reader: Reader, agent: string): Promise<StoredBlock[]> {
  return reader.all<StoredBlock>(sql`
    SELECT blocked AS "blocked", created_at AS "createdAt" FROM room_blocks
    WHERE agent = ${agent} ORDER BY created_at DESC, blocked`);
}

export async function insertBlock(tx: Tx, agent: string, blocked: string, now: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO room_blocks (agent, blocked, created_at) VALUES (${agent}, ${blocked}, ${now})
    ON CONFLICT (agent, blocked) DO NOTHING`);
}

export async function deleteBlock(tx: Tx, agent: string, blocked: string): Promise<boolean> {
  const deleted = await tx.run(sql`DELETE FROM room_blocks WHERE agent = ${agent} AND blocked = ${blocked}`);
  return deleted > 0;
}
