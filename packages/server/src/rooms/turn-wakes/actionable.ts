import { TERMINAL_WINDOW_MS } from '@parley/protocol/rooms/limits';
import type { ActionableAnswer } from '@parley/protocol/rooms/types';
import type { Credential } from '../../wire/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { CurrentRooms } from '../room/current-rooms.ts';
import { type EndedRoom, findRoomsAwaiting, findRoomsEndedSince } from '../room/room-store.ts';
import { isoSeconds } from '../../wire/rooms/times.ts';
import type { RoomTokens } from '../access/tokens.ts';
import { maySpeak, nextActorIdFor } from '../room/turns.ts';

type Waiting = ActionableAnswer['actionable'][number];

export interface ActionableOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly currentRooms: CurrentRooms;
  readonly tokens: RoomTokens;
}

/** Where an agent stands after it lost its stream: what waits for it, and what is over. */
export class ActionableRooms {
  readonly #options: ActionableOptions;

  constructor(options: ActionableOptions) {
    this.#options = options;
  }

  async list(agent: string, minter: Credential): Promise<ActionableAnswer> {
    const { database, clock } = this.#options;
    const actionable: Waiting[] = [];
    for (const roomId of await findRoomsAwaiting(database.read, agent)) {
      const waiting = await this.#waiting(roomId, agent, minter);
      if (waiting) actionable.push(waiting);
    }
    // Read last: a room that turned out to be over just now is listed here.
    const ended = await findRoomsEndedSince(database.read, agent, clock.now() - TERMINAL_WINDOW_MS);
    return { actionable, terminal: ended.map(toTerminal) };
  }

  /** Undefined when the clock or somebody else ended the turn meanwhile. */
  async #waiting(roomId: string, agent: string, minter: Credential): Promise<Waiting | undefined> {
    const { currentRooms, tokens } = this.#options;
    return await currentRooms.change(roomId, async (tx, room, now) => {
      if (room.state !== 'ACTIVE' || !maySpeak(room, agent)) return undefined;
      const { token, expiresAt } = await tokens.put(tx, { roomId, agent, minter }, now);
      return {
        room_id: roomId,
        room_state: room.state,
        next_turn: room.turnIndex,
        next_actor_id: nextActorIdFor(room, agent),
        token,
        expires_at: isoSeconds(expiresAt),
      };
    });
  }
}

function toTerminal({ id, state, closedAt, purgedAt }: EndedRoom): ActionableAnswer['terminal'][number] {
  return {
    room_id: id,
    room_state: state,
    closed_at: isoSeconds(closedAt),
    ...(purgedAt !== null && { purged_at: isoSeconds(purgedAt) }),
  };
}
