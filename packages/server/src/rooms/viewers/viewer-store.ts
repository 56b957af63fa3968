import { VIEWER_TIMEOUT_MS } from '@parley/protocol/rooms/limits';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const viewerTable = table('room_viewers', {
  hash: column<string>(),
  roomId: column<string>(),
  beatAt: column<number>(),
  leftAt: column<number | null>(),
});

const joined = viewerTable.with({ joinedAt: column<number>() });

export type StoredViewer = RowOf<typeof viewerTable>;

export async function insertViewer(tx: Tx, roomId: string, hash: string, now: number): Promise<void> {
  await tx.run(joined.insert({ hash, roomId, joinedAt: now, beatAt: now, leftAt: null }));
}

export const findViewer = viewerTable.finds('hash');

export async function saveBeat(tx: Tx, hash: string, now: number): Promise<void> {
  await tx.run(sql`UPDATE room_viewers SET beat_at = ${now} WHERE hash = ${hash}`);
}

export async function saveLeft(tx: Tx, hash: string, now: number): Promise<void> {
  await tx.run(sql`UPDATE room_viewers SET left_at = ${now} WHERE hash = ${hash} AND left_at IS NULL`);
}

export async function countActiveViewers(reader: Reader, roomId: string, now: number): Promise<number> {
  return await reader.total(sql`
    SELECT COUNT(*) AS active FROM room_viewers
    WHERE room_id = ${roomId} AND left_at IS NULL AND beat_at >= ${now - VIEWER_TIMEOUT_MS}`);
}

/** The last moment at which some viewer who has not left is still active; undefined when there is none. */
export async function watchedUntil(reader: Reader, roomId: string): Promise<number | undefined> {
  const beat = await reader.value<number>(sql`
    SELECT MAX(beat_at) AS beat FROM room_viewers WHERE room_id = ${roomId} AND left_at IS NULL`);
  return beat === undefined ? undefined : beat + VIEWER_TIMEOUT_MS;
}

export async function deleteViewers(tx: Tx, roomId: string): Promise<void> {
  await tx.run(sql`DELETE FROM room_viewers WHERE room_id = ${roomId}`);
}
