import type { DeliveryData, RoomState } from '@parley/protocol/rooms/types';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql, word } from '../../platform/database/sql.ts';
import { column, generated, type RowOf, table } from '../../platform/database/table.ts';

export type DeliveryType = DeliveryData['type'];
export type DeliveryStatus = 'pending' | 'acked' | 'superseded';

const PENDING = word('pending' satisfies DeliveryStatus);
const SUPERSEDED = word('superseded' satisfies DeliveryStatus);
const ACKED = word('acked' satisfies DeliveryStatus);
const TURN_READY = word('room.turn_ready' satisfies DeliveryType);

const deliveryTable = table('room_deliveries', {
  seq: generated<number>(),
  id: column<string>(),
  agent: column<string>(),
  prev: column<number>(),
  roomId: column<string>(),
  type: column<DeliveryType>(),
  status: column<DeliveryStatus>(),
  turn: column<number | null>(),
  nextActor: column<string | null>(),
  roomState: column<RoomState>(),
  reason: column<string>(),
  closedAt: column<number | null>(),
  purgedAt: column<number | null>(),
  createdAt: column<number>(),
  expiresAt: column<number>(),
  ackedAt: column<number | null>(),
});

export type StoredDelivery = RowOf<typeof deliveryTable>;
export type NewDelivery = Omit<StoredDelivery, 'seq' | 'prev' | 'status' | 'ackedAt'>;

/**
 * By hand: the one before it is worked out. That is the last that is still pending: a stream that missed it has to look, and of those
 * that are not pending any more it would find none. Undefined when one for this turn is pending already.
 */
export function insertDelivery(
  tx: Tx,
  delivery: NewDelivery,
): Promise<{ seq: number; prev: number } | undefined> {
  const { id, agent, roomId, type, turn, nextActor, roomState, reason, closedAt, purgedAt } = delivery;
  return tx.get(sql`
    INSERT INTO room_deliveries (id, agent, prev, room_id, type, status, turn, next_actor, room_state, reason,
      closed_at, purged_at, created_at, expires_at)
    VALUES (${id}, ${agent},
      COALESCE((SELECT MAX(seq) FROM room_deliveries WHERE agent = ${agent} AND status = ${PENDING}), 0), ${roomId},
      ${type}, ${PENDING}, ${turn}, ${nextActor}, ${roomState}, ${reason}, ${closedAt}, ${purgedAt},
      ${delivery.createdAt}, ${delivery.expiresAt})
    ON CONFLICT (room_id, agent, turn) WHERE status = ${PENDING} AND type = ${TURN_READY} DO NOTHING
    RETURNING seq, prev`);
}

export function supersedeTurns(tx: Tx, roomId: string): Promise<number> {
  return tx.run(sql`
    UPDATE room_deliveries SET status = ${SUPERSEDED}
    WHERE room_id = ${roomId} AND status = ${PENDING} AND type = ${TURN_READY}`);
}

export function pendingDeliveries(
  reader: Reader,
  agent: string,
  after: number,
  now: number,
  limit: number,
): Promise<StoredDelivery[]> {
  return reader.all<StoredDelivery>(deliveryTable.select`
    WHERE agent = ${agent} AND status = ${PENDING} AND seq > ${after} AND expires_at > ${now}
    ORDER BY seq LIMIT ${limit}`);
}

/** Undefined when it is unknown or another agent's. */
export function findDelivery(reader: Reader, agent: string, id: string): Promise<StoredDelivery | undefined> {
  return reader.get<StoredDelivery>(deliveryTable.select`WHERE id = ${id} AND agent = ${agent}`);
}

/** The first acknowledgement counts; one of a superseded delivery is noted all the same. */
export function markAcknowledged(tx: Tx, seq: number, now: number): Promise<number> {
  return tx.run(sql`
    UPDATE room_deliveries SET status = ${ACKED}, acked_at = ${now} WHERE seq = ${seq} AND acked_at IS NULL`);
}

export async function hasDeliveriesExpiredBefore(reader: Reader, time: number): Promise<boolean> {
  return await reader.exists(sql`SELECT seq FROM room_deliveries WHERE expires_at < ${time} LIMIT 1`);
}

export function deleteDeliveriesExpiredBefore(tx: Tx, time: number, limit: number): Promise<number> {
  return tx.run(sql`
    DELETE FROM room_deliveries WHERE seq IN (
      SELECT seq FROM room_deliveries WHERE expires_at < ${time} ORDER BY expires_at LIMIT ${limit})`);
}
