import type { RoomState } from '@parley/protocol/rooms/types';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql, word } from '../../platform/database/sql.ts';
import { column, headed, type RowOf } from '../../platform/database/table.ts';
import { type Participant, participantTable, type Room, roomTable } from './room.ts';

const ACTIVE = word('ACTIVE' satisfies RoomState);

const participantColumns = participantTable.pick('agent', 'joinedAt', 'readTurn');
const selectRooms = headed(`
  SELECT ${roomTable.list('r')}, ${participantColumns.list('p')}
  FROM rooms r JOIN room_participants p ON p.room_id = r.id`);

/** One statement for the room and everyone in it: a row for each participant. */
export async function findRoom(reader: Reader, id: string): Promise<Room | undefined> {
  const rows = await reader.all<RowOf<typeof roomTable> & Participant>(
    selectRooms`WHERE r.id = ${id} ORDER BY p.position`,
  );
  const [row] = rows;
  if (!row) return undefined;
  const participants = rows.map(({ agent, joinedAt, readTurn }) => ({ agent, joinedAt, readTurn }));
  return Object.assign(roomTable.of(row), { participants });
}

/** A new room, with whoever offered it and the account of that agent. */
export async function insertRoom(tx: Tx, room: Room, ownerId: string): Promise<void> {
  await tx.run(roomTable.insert(room));
  for (const [position, participant] of room.participants.entries()) {
    await insertParticipant(tx, room, position, { ...participant, ownerId });
  }
}

export interface Joining extends Participant {
  readonly ownerId: string;
}

const joiningColumns = participantTable.with({ ownerId: column<string>(), roomCreatedAt: column<number>() });

export async function insertParticipant(
  tx: Tx,
  { id, createdAt }: Room,
  position: number,
  { agent, joinedAt, readTurn, ownerId }: Joining,
): Promise<void> {
  const row = { roomId: id, position, agent, joinedAt, readTurn, ownerId, roomCreatedAt: createdAt };
  await tx.run(joiningColumns.insert(row));
}

/** What transitions change. The human code, the last reading and keeping are saved by themselves. */
const TRANSITIONED = [
  'state',
  'topic',
  'turnIndex',
  'nextActor',
  'turnStartedAt',
  'skips',
  'closedAt',
  'closeReason',
  'purgedAt',
  'dueAt',
  'lastEvent',
  'sealedKey',
] as const;
const transitioned = roomTable.pick(...TRANSITIONED);

export async function saveRoom(tx: Tx, room: Room): Promise<void> {
  await saveColumns(tx, room.id, transitioned.of(room));
}

/** The same where it is known what is stored: only what differs is written. */
export async function saveDifference(tx: Tx, before: Room, after: Room): Promise<void> {
  const update = roomTable.difference(TRANSITIONED, before, after);
  if (update) await tx.run(update`WHERE id = ${after.id}`);
}

type RoomRow = RowOf<typeof roomTable>;

export async function saveColumns(tx: Tx, roomId: string, change: Partial<RoomRow>): Promise<void> {
  await tx.run(roomTable.update(change)`WHERE id = ${roomId}`);
}

export async function raiseReadTurn(tx: Tx, roomId: string, agent: string, turn: number): Promise<void> {
  await tx.run(sql`
    UPDATE room_participants SET read_turn = ${turn}
    WHERE room_id = ${roomId} AND agent = ${agent} AND (read_turn IS NULL OR read_turn < ${turn})`);
}

/** Lets each participant find its rooms that ended, or were purged, lately. */
export async function markRoomEnded(tx: Tx, roomId: string, now: number): Promise<void> {
  await tx.run(sql`UPDATE room_participants SET ended_at = ${now} WHERE room_id = ${roomId}`);
}

/** What was said in a room, who read it, and what opens it. */
const CONTENT = [
  'room_messages',
  'room_idempotency',
  'room_text_bytes',
  'room_viewers',
  'room_events',
  'room_tokens',
].map((name) => headed(`DELETE FROM ${name}`));

export async function deleteContent(tx: Tx, roomId: string): Promise<void> {
  for (const rows of CONTENT) await tx.run(rows`WHERE room_id = ${roomId}`);
}

export async function clearReadTurns(tx: Tx, roomId: string): Promise<void> {
  await tx.run(sql`UPDATE room_participants SET read_turn = NULL WHERE room_id = ${roomId}`);
}

export async function findDueRooms(reader: Reader, now: number, limit: number): Promise<string[]> {
  return await reader.values<string>(sql`
    SELECT id FROM rooms WHERE due_at IS NOT NULL AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`);
}

/** Active rooms that wait for the agent; those whose opening is anyone's included. */
export async function findRoomsAwaiting(reader: Reader, agent: string): Promise<string[]> {
  return await reader.values<string>(sql`
    SELECT id FROM rooms WHERE state = ${ACTIVE} AND next_actor = ${agent}
    UNION
    SELECT r.id FROM room_participants p JOIN rooms r ON r.id = p.room_id
    WHERE p.agent = ${agent} AND p.ended_at IS NULL AND r.state = ${ACTIVE} AND r.next_actor IS NULL
    ORDER BY 1`);
}

const endedColumns = roomTable.pick('id', 'state', 'closedAt', 'purgedAt');
const selectEnded = headed(
  `SELECT ${endedColumns.list('r')} FROM room_participants p JOIN rooms r ON r.id = p.room_id`,
);

/** Each of them was closed. */
export type EndedRoom = RowOf<typeof endedColumns> & { readonly closedAt: number };

export function findRoomsEndedSince(reader: Reader, agent: string, since: number): Promise<EndedRoom[]> {
  return reader.all<EndedRoom>(selectEnded`
    WHERE p.agent = ${agent} AND p.ended_at IS NOT NULL AND p.ended_at >= ${since}
    ORDER BY p.ended_at DESC, r.closed_at DESC, r.id`);
}
