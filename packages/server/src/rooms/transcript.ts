import type { TranscriptAnswer } from '@parley/protocol/rooms/types';
import type { AgentRef } from '../identity/caller.ts';
import type { RoomEncryption } from './encryption.ts';
import type { CodeAttempt, HumanCodes } from './human-code.ts';
import { allMessages, type StoredMessage } from './message-store.ts';
import { agentsOf, namedAgents, type Room, wireAgent } from './room.ts';
import { isoOrNull, isoSeconds } from './times.ts';
import { nextActorId } from './turns.ts';

export interface TranscriptsOptions {
  readonly codes: HumanCodes;
  readonly encryption: RoomEncryption;
  readonly agents: (suffixes: readonly string[]) => Promise<Map<string, AgentRef>>;
}

/** The whole conversation, for people. */
export class Transcripts {
  readonly #options: TranscriptsOptions;

  constructor(options: TranscriptsOptions) {
    this.#options = options;
  }

  async read(roomId: string, attempt: CodeAttempt): Promise<TranscriptAnswer> {
    const { codes, encryption, agents } = this.#options;
    const { room, messages } = await codes.reading(roomId, attempt, async (tx, current) => ({
      room: current,
      messages: await allMessages(tx, roomId, current.turnIndex),
    }));
    const names = await agents(agentsOf(room));
    const cipher = messages.length > 0 ? encryption.cipher(room) : undefined;
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
      closed_at: isoOrNull(room.closedAt),
      purged_at: isoOrNull(room.purgedAt),
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
}

/** Everyone else has said that they fetched the context of a later turn. */
function wasRead(room: Room, { sender, turn }: StoredMessage): boolean {
  const others = room.participants.filter(({ agent }) => agent !== sender);
  return others.length > 0 && others.every(({ readTurn }) => readTurn !== null && readTurn > turn);
}
