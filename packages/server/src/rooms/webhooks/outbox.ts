import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { RoomEventType, WebhookBody } from '@parley/protocol/rooms/types';
import type { Tx } from '../../platform/database/database.ts';
import type { Platform } from '../../platform.ts';
import type { RoomChange } from '../service.ts';
import { newId } from '../ids.ts';
import { agentsOf, isEnded, wireAgent } from '../room/room.ts';
import { enabledEndpoints } from './endpoint-store.ts';
import { nextActorIdFor } from '../room/turns.ts';

export const HOOK_JOB = 'room-webhook';

/** Complete in itself, so that a purge of the room takes nothing from it. */
export interface HookJob {
  readonly endpointId: string;
  readonly body: WebhookBody;
}

/** Queues hooks in the transaction of the event they tell of, for everyone in the room but the one that caused it. */
export async function queueHooks(
  { jobs, random }: Pick<Platform, 'jobs' | 'random'>,
  tx: Tx,
  change: RoomChange,
): Promise<void> {
  const { event, room, sender } = change;
  const { type } = event;
  if (!isHooked(type)) return;
  for (const target of agentsOf(room)) {
    if (target === sender) continue;
    for (const { id } of await enabledEndpoints(tx, target)) {
      const job: HookJob = { endpointId: id, body: hookBody(change, type, target, newId(random, 'whd')) };
      // An endpoint has one agent, so this is one lane for each room, agent and endpoint.
      await jobs.enqueue(tx, HOOK_JOB, job, { group: id, lane: `${room.id} ${id}` });
    }
  }
}

type HookedType = WebhookBody['type'];

const HOOKED: ReadonlySet<RoomEventType> = new Set<HookedType>([
  'room.joined',
  'message.created',
  'room.closed',
  'room.purged',
]);

function isHooked(type: RoomEventType): type is HookedType {
  return HOOKED.has(type);
}

/** Says that something happened and whose turn it is; what was said has to be fetched. */
function hookBody(
  { event, room, sender, at }: RoomChange,
  type: HookedType,
  target: string,
  deliveryId: string,
): WebhookBody {
  const nextActor = isEnded(room) ? '' : nextActorIdFor(room, target);
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
