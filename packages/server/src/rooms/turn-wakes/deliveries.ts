import { isoSeconds } from '@parley/protocol/iso-seconds';
import { DELIVERY_LIFE_MS } from '@parley/protocol/rooms/limits';
import type { DeliveryData } from '@parley/protocol/rooms/types';
import type { Change, TurnWake, RoomsService } from '../service.ts';
import * as store from './delivery-store.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { newId } from '../ids.ts';
import { type CloseReason, type PurgeReason, type Room, wireAgent } from '../room/room.ts';
import { isoMillis } from '../../wire/rooms/times.ts';
import { awaited } from '../room/turns.ts';
import { DAY } from '../../platform/units.ts';

/** Kept this long after they expired, so that a late acknowledgement is still answered kindly. */
const KEPT_MS = DAY;
const FORGET_BATCH = 1000;

/**
 * Wake-ups, at least once: pending until acknowledged, expired or superseded.
 *
 * | status     | sent to new connections | acknowledged                   |
 * |------------|-------------------------|--------------------------------|
 * | pending    | until it expires        | becomes acked                  |
 * | acked      | never                   | again, with the same answer    |
 * | superseded | never                   | is fine: it then becomes acked |
 *
 * This one wakes whoever the current turn waits for.
 */
export async function turnReady(
  change: Change,
  room: Room,
  reason: 'room_activated' | 'peer_message' | 'turn_skipped',
): Promise<void> {
  const { rooms, tx, now } = change;
  const drafts = awaited(room).map((agent) => ({
    ...draftOf(change, room, agent, reason),
    type: 'room.turn_ready' as const,
    turn: room.turnIndex,
    // Where the turn is anyone's, each is told that it is theirs.
    nextActor: agent,
  }));
  await create(change, drafts);
  for (const { agent } of drafts) {
    const payload = {
      room_id: room.id,
      room_state: room.state,
      next_turn: room.turnIndex,
      next_actor_id: wireAgent(agent),
      reason,
      occurred_at: isoMillis(now),
    };
    rooms.told.note(tx, { agent, type: 'turn.pass', payload });
  }
}

/** Everyone who took part is told that the room is closed, or purged. */
export async function tellOver(
  change: Change,
  room: Room,
  type: 'room.closed' | 'room.purged',
  reason: CloseReason | PurgeReason,
): Promise<void> {
  const drafts = room.participants.map(({ agent }) => ({ ...draftOf(change, room, agent, reason), type }));
  await create(change, drafts);
}

/** The turn was taken or is over: whoever was woken for it need not come. */
export async function supersede({ rooms, tx }: Change, roomId: string): Promise<void> {
  const superseded = await store.supersedeTurns(tx, roomId);
  if (superseded > 0) tx.afterCommit(() => rooms.telemetry.superseded(superseded));
}

export async function acknowledgeDelivery(
  { database, clock, telemetry }: RoomsService,
  agent: string,
  id: string,
): Promise<void> {
  const known = await store.findDelivery(database.read, agent, id);
  if (!known) throw new RoomsError('not_found');
  if (known.ackedAt !== null) return;
  const now = clock.now();
  await database.write(async (tx) => {
    const acked = await store.markAcknowledged(tx, known.seq, now);
    if (acked > 0) tx.afterCommit(() => telemetry.acknowledged(now - known.createdAt));
  });
}

/** What a new connection is sent after a position (0: everything), oldest first. */
export async function pendingFor(
  { database, clock }: RoomsService,
  agent: string,
  after: number,
  limit: number,
): Promise<TurnWake[]> {
  const rows = await store.pendingDeliveries(database.read, agent, after, clock.now(), limit);
  return rows.map(toDelivery);
}

export async function forgetExpired({ database, clock }: RoomsService): Promise<void> {
  const before = clock.now() - KEPT_MS;
  if (!(await store.hasDeliveriesExpiredBefore(database.read, before))) return;
  await database.write((tx) => store.deleteDeliveriesExpiredBefore(tx, before, FORGET_BATCH));
}

function draftOf(
  { rooms, now }: Change,
  room: Room,
  agent: string,
  reason: string,
): Omit<store.NewDelivery, 'type'> {
  return {
    id: newId(rooms.random, 'dly'),
    agent,
    roomId: room.id,
    turn: null,
    nextActor: null,
    roomState: room.state,
    reason,
    closedAt: room.closedAt,
    purgedAt: room.purgedAt,
    createdAt: now,
    expiresAt: now + DELIVERY_LIFE_MS,
  };
}

/**
 * An agent's deliveries are made one after the other, or a later sequence could be committed before an earlier one and
 * a stream would pass over it. Locks are taken in one order, so that two rooms of the same agents never wait for each
 * other.
 */
async function create({ rooms, tx }: Change, drafts: readonly store.NewDelivery[]): Promise<void> {
  const { announced, telemetry } = rooms;
  const ordered = drafts.toSorted((a, b) => (a.agent < b.agent ? -1 : 1));
  for (const { agent } of ordered) await tx.lock(`room-deliveries:${agent}`);
  for (const draft of ordered) {
    const place = await store.insertDelivery(tx, draft);
    if (!place) continue;
    const delivery = toDelivery({ ...draft, ...place });
    tx.afterCommit(() => {
      telemetry.delivery(draft.type);
      announced.deliveries.tell(delivery);
    });
  }
}

/** The order of the keys is part of the frames' form. */
function toDelivery(row: store.NewDelivery & Pick<store.StoredDelivery, 'seq' | 'prev'>): TurnWake {
  const agentId = wireAgent(row.agent);
  const data: DeliveryData = {
    type: row.type,
    room_id: row.roomId,
    target_agent_id: agentId,
    room_state: row.roomState,
    ...(row.turn !== null && { next_turn: row.turn, next_actor_id: wireAgent(row.nextActor) }),
    ...(row.closedAt !== null && { closed_at: isoSeconds(row.closedAt) }),
    ...(row.purgedAt !== null && { purged_at: isoSeconds(row.purgedAt) }),
    reason: row.reason,
    occurred_at: isoMillis(row.createdAt),
    delivery_id: row.id,
    agent_id: agentId,
    created_at: isoMillis(row.createdAt),
    expires_at: isoMillis(row.expiresAt),
  };
  const { seq, prev, id, agent, roomId, expiresAt } = row;
  return { seq, prev, id, agent, roomId, expiresAt, data };
}
