import type { RoomEventType, RoomState } from '@parley/protocol/rooms/types';
import type { CloseReason, Participant, Room } from './room.ts';
import { actorAfter, firstActor, isAnyonesTurn } from './turns.ts';

/**
 * The life of a room. States only move forward; nothing re-opens a room.
 *
 * | from → to              | who                                   | reason                | events, in order                       |
 * |------------------------|---------------------------------------|-----------------------|----------------------------------------|
 * | (none) → OPEN          | the owner creates the listing         |                       | created, joined                        |
 * | OPEN → ACTIVE          | a second agent connects               | room_activated        | joined, state_changed                  |
 * | ACTIVE → ACTIVE        | a further agent connects              |                       | joined                                 |
 * | ACTIVE → ACTIVE        | a message                             |                       | message.created                        |
 * | ACTIVE → ACTIVE        | a silent speaker of a larger room     | turn_skipped          | state_changed                          |
 * | OPEN, ACTIVE → CLOSED  | any participant                       | manual_close          | state_changed, closed                  |
 * | ACTIVE → CLOSED        | the message that reaches max_turns    | max_turns_reached     | message.created, state_changed, closed |
 * | OPEN, ACTIVE → CLOSED  | the clock passes ttl_at               | ttl_expired           | state_changed, closed                  |
 * | ACTIVE → CLOSED        | nobody spoke within the turn timeout  | turn_timeout          | state_changed, closed                  |
 * | CLOSED → PURGED        | grace is over and no viewer is active | grace_elapsed         | state_changed, purged                  |
 * | CLOSED → PURGED        | the retention cap                     | retention_cap_reached | state_changed, purged                  |
 */
const FORWARD: Readonly<Record<RoomState, readonly RoomState[]>> = {
  OPEN: ['ACTIVE', 'CLOSED'],
  ACTIVE: ['CLOSED'],
  CLOSED: ['PURGED'],
  PURGED: [],
};

export const CLOSE_EVENTS = ['room.state_changed', 'room.closed'] as const satisfies RoomEventType[];
export const PURGE_EVENTS = ['room.state_changed', 'room.purged'] as const satisfies RoomEventType[];

export class RoomTransitionError extends Error {
  override readonly name = 'RoomTransitionError';
}

/** A further agent takes its seat. The second one starts the conversation. */
export function seated(room: Room, participant: Participant, now: number): Room {
  const joined: Room = { ...room, participants: [...room.participants, participant] };
  if (room.state === 'ACTIVE') return joined;
  const active = moved(joined, 'ACTIVE');
  return { ...active, nextActor: firstActor(joined), turnStartedAt: now };
}

/** The turn was taken; the next speaker's clock starts. */
export function spoken(room: Room, sender: string, now: number): Room {
  mustBe(room, 'ACTIVE');
  const turnIndex = room.turnIndex + 1;
  return { ...room, turnIndex, nextActor: actorAfter(room, sender), turnStartedAt: now, skips: 0 };
}

/** The turn goes to the next one, unspoken. Its number stays. */
export function skipped(room: Room, now: number): Room {
  mustBe(room, 'ACTIVE');
  const nextActor = room.nextActor === null ? null : actorAfter(room, room.nextActor);
  return { ...room, nextActor, turnStartedAt: now, skips: room.skips + 1 };
}

/**
 * Passing the turn on helps only where a third may go on, and only until everyone had the chance; an opening that was
 * anyone's has nobody to be passed to.
 */
export function canSkip(room: Room): boolean {
  return room.maxAgents > 2 && !isAnyonesTurn(room) && room.skips + 1 < room.participants.length;
}

export function closed(room: Room, reason: CloseReason, now: number): Room {
  const over = moved(room, 'CLOSED');
  return { ...over, closedAt: now, closeReason: reason, nextActor: null, turnStartedAt: null };
}

/** What remains of a purged room: its ids, counters and times. */
export function purged(room: Room, now: number): Room {
  const over = moved(room, 'PURGED');
  return { ...over, purgedAt: now, topic: '', sealedKey: null };
}

function moved(room: Room, to: RoomState): Room {
  if (!FORWARD[room.state].includes(to)) {
    throw new RoomTransitionError(`a room cannot go from ${room.state} to ${to}`);
  }
  return { ...room, state: to };
}

function mustBe(room: Room, state: RoomState): void {
  if (room.state !== state) throw new RoomTransitionError(`the room is ${room.state}, not ${state}`);
}
