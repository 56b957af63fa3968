import type { FirstSpeaker, RoomState } from '@parley/protocol/rooms/types';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { CloseReason, Participant, Room } from './room.ts';

interface RoomRow {
  id: string;
  listing_id: string;
  state: RoomState;
  topic: string;
  max_turns: number;
  max_agents: number;
  first_speaker: FirstSpeaker;
  turn_timeout_ms: number | null;
  turn_index: number;
  next_actor: string | null;
  turn_started_at: number | null;
  skips: number;
  created_at: number;
  ttl_at: number;
  closed_at: number | null;
  close_reason: CloseReason | null;
  purged_at: number | null;
  last_read_at: number | null;
  kept_at: number | null;
  due_at: number | null;
  last_event: number;
  sealed_key: string | null;
  code_hash: string | null;
  code_expires_at: number;
  agent: string;
  joined_at: number;
  read_turn: number | null;
}

/** One statement for the room and everyone in it: a row for each participant. */
export async function findRoom(reader: Reader, id: string): Promise<Room | undefined> {
  const rows = await reader.all<RoomRow>(sql`
    SELECT r.id, r.listing_id, r.state, r.topic, r.max_turns, r.max_agents, r.first_speaker, r.turn_timeout_ms,
           r.turn_index, r.next_actor, r.turn_started_at, r.skips, r.created_at, r.ttl_at, r.closed_at,
           r.close_reason, r.purged_at, r.last_read_at, r.kept_at, r.due_at, r.last_event, r.sealed_key, r.code_hash,
           r.code_expires_at, p.agent, p.joined_at, p.read_turn
    FROM rooms r JOIN room_participants p ON p.room_id = r.id
    WHERE r.id = ${id} ORDER BY p.position`);
  const [row] = rows;
  return row && toRoom(row, rows);
}

function toRoom(row: RoomRow, rows: readonly RoomRow[]): Room {
  return {
    id: row.id,
    listingId: row.listing_id,
    state: row.state,
    topic: row.topic,
    maxTurns: row.max_turns,
    maxAgents: row.max_agents,
    firstSpeaker: row.first_speaker,
    turnTimeoutMs: row.turn_timeout_ms,
    turnIndex: row.turn_index,
    nextActor: row.next_actor,
    turnStartedAt: row.turn_started_at,
    skips: row.skips,
    createdAt: row.created_at,
    ttlAt: row.ttl_at,
    closedAt: row.closed_at,
    closeReason: row.close_reason,
    purgedAt: row.purged_at,
    lastReadAt: row.last_read_at,
    keptAt: row.kept_at,
    dueAt: row.due_at,
    lastEvent: row.last_event,
    sealedKey: row.sealed_key,
    codeHash: row.code_hash,
    codeExpiresAt: row.code_expires_at,
    participants: rows.map(({ agent, joined_at, read_turn }) => ({
      agent,
      joinedAt: joined_at,
      readTurn: read_turn,
    })),
  };
}

export async function insertRoom(tx: Tx, room: Room): Promise<void> {
  await tx.run(sql`
    INSERT INTO rooms (id, listing_id, state, topic, max_turns, max_agents, first_speaker, turn_timeout_ms, turn_index,
      next_actor, turn_started_at, skips, created_at, ttl_at, due_at, last_event, sealed_key, code_hash, code_expires_at)
    VALUES (${room.id}, ${room.listingId}, ${room.state}, ${room.topic}, ${room.maxTurns}, ${room.maxAgents},
      ${room.firstSpeaker}, ${room.turnTimeoutMs}, ${room.turnIndex}, ${room.nextActor}, ${room.turnStartedAt},
      ${room.skips}, ${room.createdAt}, ${room.ttlAt}, ${room.dueAt}, ${room.lastEvent}, ${room.sealedKey},
      ${room.codeHash}, ${room.codeExpiresAt})`);
  for (const [position, participant] of room.participants.entries()) {
    await insertParticipant(tx, room.id, position, participant);
  }
}

export async function insertParticipant(
  tx: Tx,
  roomId: string,
  position: number,
  { agent, joinedAt }: Participant,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO room_participants (room_id, position, agent, joined_at)
    VALUES (${roomId}, ${position}, ${agent}, ${joinedAt})`);
}

/** Stores what transitions change. Reading marks, the human code and the last reading have statements of their own. */
export async function saveRoom(tx: Tx, room: Room): Promise<void> {
  await tx.run(sql`
    UPDATE rooms SET state = ${room.state}, topic = ${room.topic}, turn_index = ${room.turnIndex},
      next_actor = ${room.nextActor}, turn_started_at = ${room.turnStartedAt}, skips = ${room.skips},
      closed_at = ${room.closedAt}, close_reason = ${room.closeReason}, purged_at = ${room.purgedAt},
      due_at = ${room.dueAt}, last_event = ${room.lastEvent}, sealed_key = ${room.sealedKey}
    WHERE id = ${room.id}`);
}

export async function saveReading(tx: Tx, roomId: string, now: number, dueAt: number | null): Promise<void> {
  await tx.run(sql`UPDATE rooms SET last_read_at = ${now}, due_at = ${dueAt} WHERE id = ${roomId}`);
}

export async function saveKept(tx: Tx, roomId: string, now: number, dueAt: number | null): Promise<void> {
  await tx.run(sql`UPDATE rooms SET kept_at = ${now}, due_at = ${dueAt} WHERE id = ${roomId}`);
}

export async function saveHumanCode(tx: Tx, roomId: string, hash: string, expiresAt: number): Promise<void> {
  await tx.run(sql`
    UPDATE rooms SET code_hash = ${hash}, code_expires_at = ${expiresAt} WHERE id = ${roomId}`);
}

export async function raiseReadTurn(tx: Tx, roomId: string, agent: string, turn: number): Promise<void> {
  await tx.run(sql`
    UPDATE room_participants SET read_turn = ${turn}
    WHERE room_id = ${roomId} AND agent = ${agent} AND (read_turn IS NULL OR read_turn < ${turn})`);
}

/** Lets each participant find its rooms that ended, or were purged, lately. */
export async function markEnded(tx: Tx, roomId: string, now: number): Promise<void> {
  await tx.run(sql`UPDATE room_participants SET ended_at = ${now} WHERE room_id = ${roomId}`);
}

export async function clearReadTurns(tx: Tx, roomId: string): Promise<void> {
  await tx.run(sql`UPDATE room_participants SET read_turn = NULL WHERE room_id = ${roomId}`);
}

export async function findDueRooms(reader: Reader, now: number, limit: number): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(sql`
    SELECT id FROM rooms WHERE due_at IS NOT NULL AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}

/** Active rooms that wait for the agent; those whose opening is anyone's included. */
export async function findRoomsAwaiting(reader: Reader, agent: string): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(sql`
    SELECT id FROM rooms WHERE state = 'ACTIVE' AND next_actor = ${agent}
    UNION
    SELECT r.id FROM room_participants p JOIN rooms r ON r.id = p.room_id
    WHERE p.agent = ${agent} AND p.ended_at IS NULL AND r.state = 'ACTIVE' AND r.next_actor IS NULL
    ORDER BY 1`);
  return rows.map(({ id }) => id);
}

export interface EndedRoom {
  readonly id: string;
  readonly state: RoomState;
  readonly closedAt: number;
  readonly purgedAt: number | null;
}

export function findRoomsEndedSince(reader: Reader, agent: string, since: number): Promise<EndedRoom[]> {
  return reader.all<EndedRoom>(sql`
    SELECT r.id AS "id", r.state AS "state", r.closed_at AS "closedAt", r.purged_at AS "purgedAt"
    FROM room_participants p JOIN rooms r ON r.id = p.room_id
    WHERE p.agent = ${agent} AND p.ended_at IS NOT NULL AND p.ended_at >= ${since}
    ORDER BY p.ended_at DESC, r.closed_at DESC, r.id`);
}
