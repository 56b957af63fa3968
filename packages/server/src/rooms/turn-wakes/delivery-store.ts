import type { DeliveryData, RoomState } from '@parley/protocol/rooms/types';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export type DeliveryType = DeliveryData['type'];
export type DeliveryStatus = 'pending' | 'acked' | 'superseded';

export interface NewDelivery {
  readonly id: string;
  readonly agent: string;
  readonly roomId: string;
  readonly type: DeliveryType;
  readonly turn: number | null;
  readonly nextActor: string | null;
  readonly roomState: RoomState;
  readonly reason: string;
  readonly closedAt: number | null;
  readonly purgedAt: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface StoredDelivery extends NewDelivery {
  readonly seq: number;
  readonly prev: number;
}

/** Undefined when the agent already has a pending delivery for this turn. */
export function insertDelivery(
  tx: Tx,
  delivery: NewDelivery,
): Promise<{ seq: number; prev: number } | undefined> {
  const { id, agent, roomId, type, turn, nextActor, roomState, reason, closedAt, purgedAt } = delivery;
  return tx.get(sql`
    INSERT INTO room_deliveries (id, agent, prev, room_id, type, status, turn, next_actor, room_state, reason,
      closed_at, purged_at, created_at, expires_at)
    VALUES (${id}, ${agent}, COALESCE((SELECT MAX(seq) FROM room_deliveries WHERE agent = ${agent}), 0), ${roomId},
      ${type}, 'pending', ${turn}, ${nextActor}, ${roomState}, ${reason}, ${closedAt}, ${purgedAt},
      ${delivery.createdAt}, ${delivery.expiresAt})
    ON CONFLICT (room_id, agent, turn) WHERE status = 'pending' AND type = 'room.turn_ready' DO NOTHING
    RETURNING seq, prev`);
}

export function supersedeTurns(tx: Tx, roomId: string): Promise<number> {
  return tx.run(sql`
    UPDATE room_deliveries SET status = 'superseded'
    WHERE room_id = ${roomId} AND status = 'pending' AND type = 'room.turn_ready'`);
}

export function pendingDeliveries(
  reader: Reader,
  agent: string,
  after: number,
  now: number,
  limit: number,
): Promise<StoredDelivery[]> {
  return reader.all<StoredDelivery>(sql`
    SELECT seq AS "seq", prev AS "prev", id AS "id", agent AS "agent", room_id AS "roomId", type AS "type",
           turn AS "turn", next_actor AS "nextActor", room_state AS "roomState", reason AS "reason",
           closed_at AS "closedAt", purged_at AS "purgedAt", created_at AS "createdAt", expires_at AS "expiresAt"
    FROM room_deliveries
    WHERE agent = ${agent} AND status = 'pending' AND seq > ${after} AND expires_at > ${now}
    ORDER BY seq LIMIT ${limit}`);
}

export interface DeliveryState {
  readonly seq: number;
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly ackedAt: number | null;
}

export function findDelivery(reader: Reader, agent: string, id: string): Promise<DeliveryState | undefined> {
  return reader.get<DeliveryState>(sql`
    SELECT seq AS "seq", status AS "status", created_at AS "createdAt", expires_at AS "expiresAt",
           acked_at AS "ackedAt"
    FROM room_deliveries WHERE id = ${id} AND agent = ${agent}`);
}

/** The first acknowledgement counts; one of a superseded delivery is noted all the same. */
export function markAcknowledged(tx: Tx, seq: number, now: number): Promise<number> {
  return tx.run(sql`
    UPDATE room_deliveries SET status = 'acked', acked_at = ${now} WHERE seq = ${seq} AND acked_at IS NULL`);
}

export async function hasDeliveriesExpiredBefore(reader: Reader, time: number): Promise<boolean> {
  return (
    (await reader.get(sql`SELECT seq FROM room_deliveries WHERE expires_at < ${time} LIMIT 1`)) !== undefined
  );
}

export function deleteDeliveriesExpiredBefore(tx: Tx, time: number, limit: number): Promise<number> {
  return tx.run(sql`
    DELETE FROM room_deliveries WHERE seq IN (
      SELECT seq FROM room_deliveries WHERE expires_at < ${time} ORDER BY expires_at LIMIT ${limit})`);
}
