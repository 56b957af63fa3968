import { agentsOf, isEnded, type Room, wireAgent } from './room.ts';

/**
 * Whose turn it is.
 *
 * Turn order is join order, rotating. The next actor is stored and not worked out from the turn number: an agent that
 * joins a running room must not take the turn away from the one that is already writing.
 *
 * | first_speaker | while OPEN | turn 0 of an ACTIVE room | then                 |
 * |---------------|------------|--------------------------|----------------------|
 * | owner         | owner      | owner                    | the one after        |
 * | peer          | nobody yet | the second to join       | the one after        |
 * | any           | nobody yet | whoever is first         | the one after that   |
 */
export function firstActor(room: Pick<Room, 'firstSpeaker' | 'participants'>): string | null {
  if (room.firstSpeaker === 'any') return null;
  const speaker = room.participants[room.firstSpeaker === 'owner' ? 0 : 1];
  return speaker?.agent ?? null;
}

export function actorAfter(room: Room, agent: string): string {
  const order = agentsOf(room);
  const next = order[(order.indexOf(agent) + 1) % order.length];
  if (next === undefined) throw new TypeError('a room has at least its owner');
  return next;
}

/** Whether the opening turn is anyone's. */
export function isAnyonesTurn(room: Room): boolean {
  return room.state === 'ACTIVE' && room.firstSpeaker === 'any' && room.turnIndex === 0;
}

export function maySpeak(room: Room, agent: string): boolean {
  return room.nextActor === agent || isAnyonesTurn(room);
}

/** Those who are to be woken for the current turn. */
export function awaited(room: Room): string[] {
  if (isAnyonesTurn(room)) return agentsOf(room);
  return room.nextActor === null ? [] : [room.nextActor];
}

/** `next_actor_id` for nobody in particular. */
export function nextActorId(room: Room): string {
  return isEnded(room) ? '' : wireAgent(room.nextActor);
}

/** `next_actor_id` for one participant: when the turn is anyone's it is theirs too, so clients that obey it may speak. */
export function nextActorIdFor(room: Room, agent: string): string {
  return isAnyonesTurn(room) ? wireAgent(agent) : nextActorId(room);
}

/** The last moment at which the current speaker may still speak. */
export function turnDeadline(room: Room): number | null {
  if (room.turnTimeoutMs === null || room.turnStartedAt === null) return null;
  return room.turnStartedAt + room.turnTimeoutMs;
}
