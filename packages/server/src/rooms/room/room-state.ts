import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { ClosedAnswer, StateAnswer } from '@parley/protocol/rooms/types';
import type { RoomsService } from '../service.ts';
import { purgeAfter } from './purging.ts';
import { changeRoom, mustNotBePurged, mustTakePart, readRoomAs } from './current-rooms.ts';
import { close } from './room-changes.ts';
import { agentsOf, namedAgents, wireAgent } from './room.ts';
import { isoSecondsOrNull } from '../../wire/rooms/times.ts';
import { nextActorIdFor } from './turns.ts';
import { countActiveViewers, watchedUntil } from '../viewers/viewer-store.ts';

/** Looking at a room and ending it. */
export async function roomState(rooms: RoomsService, roomId: string, agent: string): Promise<StateAnswer> {
  const { database, clock, settings } = rooms;
  const room = await readRoomAs(rooms, roomId, agent);
  const watched = room.state === 'CLOSED' ? await watchedUntil(database.read, roomId) : undefined;
  return {
    id: room.id,
    ...namedAgents(room),
    state: room.state,
    turn_index: room.turnIndex,
    next_turn: room.turnIndex,
    next_actor_id: nextActorIdFor(room, agent),
    max_turns: room.maxTurns,
    ttl_at: isoSeconds(room.ttlAt),
    created_at: isoSeconds(room.createdAt),
    closed_at: isoSecondsOrNull(room.closedAt),
    purged_at: isoSecondsOrNull(room.purgedAt),
    active_viewers: await countActiveViewers(database.read, roomId, clock.now()),
    participants: room.participants.map((one) => ({
      agent_id: wireAgent(one.agent),
      joined_at: isoSeconds(one.joinedAt),
    })),
    turn_order: agentsOf(room).map(wireAgent),
    max_agents: room.maxAgents,
    turn_started_at: isoSecondsOrNull(room.turnStartedAt),
    turn_timeout_seconds: room.turnTimeoutMs === null ? null : room.turnTimeoutMs / 1000,
    first_speaker: room.firstSpeaker,
    purge_after: isoSecondsOrNull(purgeAfter(room, settings, watched)),
  };
}

/** Closing a closed room is fine and changes nothing. */
export async function closeRoom(rooms: RoomsService, roomId: string, agent: string): Promise<ClosedAnswer> {
  const room = await changeRoom(rooms, roomId, async (change, current) => {
    mustTakePart(current, agent);
    mustNotBePurged(current);
    if (current.state === 'CLOSED') return current;
    return await close(change, current, { reason: 'manual_close', sender: agent });
  });
  return { room_id: room.id, state: room.state };
}
