import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { TranscriptAnswer, TranscriptRoom } from '@parley/protocol/rooms/types';
import type { RoomsService } from '../service.ts';
import type { AgentRef } from '../../wire/caller.ts';
import { type CodeAttempt, readWithCode } from './human-code.ts';
import { allMessages, type StoredMessage } from '../conversation/message-store.ts';
import { cipherOf } from '../room/encryption.ts';
import { agentsOf, namedAgents, type Room, wasRead, wireAgent } from '../room/room.ts';
import type { RoomSettings } from '../settings.ts';
import { isoSecondsOrNull } from '../../wire/rooms/times.ts';
import { nextActorId } from '../room/turns.ts';

/** The whole conversation, for people; `withRoom` with what a page needs to show the room and to follow it from here. */
export async function readTranscript(
  rooms: RoomsService,
  roomId: string,
  attempt: CodeAttempt,
  withRoom: boolean,
): Promise<TranscriptAnswer> {
  const { room, messages } = await readWithCode(rooms, roomId, attempt, async ({ tx }, current) => ({
    room: current,
    messages: await allMessages(tx, roomId, current.turnIndex),
  }));
  const opened = { room, messages, names: await rooms.identity.directory.bySuffix(agentsOf(room)) };
  return { ...transcriptOf(rooms, opened), ...(withRoom && { room: roomOf(opened, rooms.settings) }) };
}

function transcriptOf(rooms: RoomsService, { room, messages, names }: Opened): TranscriptAnswer {
  const cipher = messages.length > 0 ? cipherOf(rooms, room) : undefined;
  return {
    room_id: room.id,
    state: room.state,
    messages: messages.map((message) => ({
      id: message.id,
      sender_id: wireAgent(message.sender),
      sender_name: names.get(message.sender)?.name ?? '',
      turn: message.turn,
      ciphertext: cipher?.open(message.turn, message.sealedText) ?? '',
      created_at: isoSeconds(message.createdAt),
      read_by_opponent: wasRead(room, message),
    })),
    closed_at: isoSecondsOrNull(room.closedAt),
    purged_at: isoSecondsOrNull(room.purgedAt),
    room_topic: room.topic,
    ...namedAgents(room),
    turn_index: room.turnIndex,
    next_actor_id: nextActorId(room),
    last_context_fetch_turn_by_agent: Object.fromEntries(
      room.participants.flatMap(({ agent, readTurn }) =>
        readTurn === null ? [] : [[wireAgent(agent), readTurn]],
      ),
    ),
  };
}

interface Opened {
  readonly room: Room;
  readonly messages: readonly StoredMessage[];
  readonly names: ReadonlyMap<string, AgentRef>;
}

function roomOf(
  { room, names }: Opened,
  { retentionMs, graceMs, purgeUnread }: RoomSettings,
): TranscriptRoom {
  return {
    created_at: isoSeconds(room.createdAt),
    ttl_at: isoSeconds(room.ttlAt),
    max_turns: room.maxTurns,
    max_agents: room.maxAgents,
    participants: room.participants.map(({ agent, joinedAt }) => ({
      agent_id: wireAgent(agent),
      name: names.get(agent)?.name ?? '',
      joined_at: isoSeconds(joinedAt),
    })),
    close_reason: room.closeReason,
    purge_by: isoSecondsOrNull(room.closedAt === null ? null : room.closedAt + retentionMs),
    purge_grace_seconds: purgeUnread === 'grace' ? null : Math.round(graceMs / 1000),
    kept: room.keptAt !== null,
    last_event_id: room.lastEvent,
  };
}
