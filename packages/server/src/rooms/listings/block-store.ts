import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const blockTable = table('room_blocks', {
  agent: column<string>(),
  blocked: column<string>(),
  createdAt: column<number>(),
});

const ownBlocks = blockTable.pick('blocked', 'createdAt');
export type StoredBlock = RowOf<typeof ownBlocks>;

export async function isBlocked(reader: Reader, agent: string, other: string): Promise<boolean> {
  return await reader.exists(sql`
    SELECT blocked FROM room_blocks WHERE agent = ${agent} AND blocked = ${other}`);
}

export function findBlocks(reader: Reader, agent: string): Promise<StoredBlock[]> {
  return reader.all<StoredBlock>(ownBlocks.select`WHERE agent = ${agent} ORDER BY created_at DESC, blocked`);
}

export async function insertBlock(tx: Tx, block: RowOf<typeof blockTable>): Promise<void> {
  await tx.run(blockTable.insertNew(block));
}

export async function deleteBlock(tx: Tx, agent: string, blocked: string): Promise<boolean> {
  return await tx.affects(blockTable.delete`WHERE agent = ${agent} AND blocked = ${blocked}`);
}
