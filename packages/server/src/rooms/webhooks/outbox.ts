import type { RoomEventType, WebhookBody } from '@parley/protocol/rooms/types';
import type { Tx } from '../../platform/database/database.ts';
import type { Random } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { RoomChange } from '../room/events.ts';
import { newId } from '../ids.ts';
import { agentsOf, isOver, wireAgent } from '../room/room.ts';
import { enabledEndpoints } from './endpoint-store.ts';
import { isoSeconds } from '../../wire/rooms/times.ts';
import { nextActorIdFor } from '../room/turns.ts';

export const HOOK_JOB = 'room-webhook';

/** Complete in itself, so that a purge of the room takes nothing from it. */
export interface HookJob {
  readonly endpointId: string;
  readonly body: WebhookBody;
}

/** Queues hooks in the transaction of the event they tell of. */
export class WebhookOutbox {
  readonly #jobs: Jobs;
  readonly #random: Random;

  constructor(jobs: Jobs, random: Random) {
    this.#jobs = jobs;
    this.#random = random;
  }

  /** For everyone in the room but the one that caused the event. */
  async queue(tx: Tx, change: RoomChange): Promise<void> {
    const { event, room, sender } = change;
    const { type } = event;
    if (!isHooked(type)) return;
    for (const target of agentsOf(room)) {
      if (target === sender) continue;
      for (const { id } of await enabledEndpoints(tx, target)) {
        const body = hookBody(change, type, target, newId(this.#random, 'whd'));
        const job: HookJob = { endpointId: id, body };
        // An endpoint has one agent, so this is one lane for each room, agent and endpoint.
        await this.#jobs.enqueue(tx, HOOK_JOB, job, { group: id, lane: `${room.id} ${id}` });
      }
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
