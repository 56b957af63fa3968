import type { RoomEventType, WebhookBody } from '@parley/protocol/rooms/types';
import type { RoomChange } from '../room/events.ts';
import { agentsOf, isOver, wireAgent } from '../room/room.ts';
import { isoSeconds } from '../../wire/rooms/times.ts';
import { nextActorIdFor } from '../room/turns.ts';

type HookedType = WebhookBody['type'];

const HOOKED: ReadonlySet<RoomEventType> = new Set<HookedType>([
  'room.joined',
  'message.created',
  'room.closed',
  'room.purged',
]);

export function isHooked(type: RoomEventType): type is HookedType {
  return HOOKED.has(type);
}

/** Says that something happened and whose turn it is; what was said has to be fetched. */
export function hookBody(
  { event, room, sender, at }: RoomChange,
  type: HookedType,
  target: string,
  deliveryId: string,
): WebhookBody {
  const nextActor = isOver(room) ? '' : nextActorIdFor(room, target);
  // Among more than two it is the one that acted, or the first of the others.
  const other = sender ?? agentsOf(room).find((agent) => agent !== target);
  return {
    event_id: event.seq,
    type,
    room_id: room.id,
    target_agent_id: wireAgent(target),
    room_state: room.state,
    next_turn: room.turnIndex,
    reason: type.replace('.', '_'),
    occurred_at: isoSeconds(at),
    ...(nextActor !== '' && { next_actor_id: nextActor }),
    other_agent_id: wireAgent(other),
    delivery_id: deliveryId,
  };
}
