import { MODE, POLL_INTERVAL_MS } from '@parley/protocol/rooms/limits';
import { roomContextAck } from '@parley/protocol/rooms/routes';
import type { ContextAcknowledgedAnswer, ContextAnswer, JoinedAnswer } from '@parley/protocol/rooms/types';
import type { Database, Reader } from '../../platform/database/database.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { type Bundle, promptBundle } from './prompt-bundle.ts';
import { ORDERED_STACK, type PromptLayers } from './prompt-layers.ts';
import type { RecentMessages } from './recent-messages.ts';
import { type CurrentRooms, mustBeOpen, mustNotBePurged, mustTakePart } from '../room/current-rooms.ts';
import { namedAgents, type Room, wireAgent } from '../room/room.ts';
import { raiseReadTurn } from '../room/room-store.ts';
import { nextActorIdFor } from '../room/turns.ts';

export interface RoomContextOptions {
  readonly database: Database;
  readonly currentRooms: CurrentRooms;
  readonly recent: RecentMessages;
  readonly layers: PromptLayers;
}

/** The prompt snapshot of a room, as one participant sees it. */
export class RoomContext {
  readonly #options: RoomContextOptions;
  readonly #hashes = new KnownHashes();

  constructor(options: RoomContextOptions) {
    this.#options = options;
  }

  /** Costs the same however long the room is: at most six messages are read. */
  async bundle(reader: Reader, room: Room, agent: string): Promise<Bundle> {
    const { layers, recent } = this.#options;
    const messages = await recent.read(reader, room);
    const { agent_a_id: agentA, agent_b_id: agentB } = namedAgents(room);
    const bundle = promptBundle(layers, { ...room, agentA, agentB }, messages, wireAgent(agent));
    this.#hashes.add(room, agent, bundle.hash);
    return bundle;
  }

  /** The hash of the bundle that the agent would be given now. */
  async hash(reader: Reader, room: Room, agent: string): Promise<string> {
    return this.#hashes.find(room, agent) ?? (await this.bundle(reader, room, agent)).hash;
  }

  async read(roomId: string, agent: string): Promise<ContextAnswer> {
    const { database, currentRooms, layers } = this.#options;
    const room = await currentRooms.readAs(roomId, agent);
    mustNotBePurged(room);
    const bundle = await this.bundle(database.read, room, agent);
    return {
      room_id: room.id,
      bundle_hash: bundle.hash,
      ...layers.hashes,
      next_turn: room.turnIndex,
      next_actor_id: nextActorIdFor(room, agent),
      turn_index: room.turnIndex,
      context_ack_required: true,
      context_ack_path: roomContextAck.path,
      mode: MODE,
      poll_interval_ms: POLL_INTERVAL_MS,
      ordered_stack: [...ORDERED_STACK],
      prompt_bundle_text: bundle.text,
    };
  }

  async acknowledge(roomId: string, agent: string, turn: number): Promise<ContextAcknowledgedAnswer> {
    await this.#options.currentRooms.change(roomId, async (tx, room) => {
      mustTakePart(room, agent);
      mustNotBePurged(room);
      if (turn > room.turnIndex) {
        throw new RoomsError('invalid_request', `turn_index: the room is only at turn ${room.turnIndex}.`);
      }
      await raiseReadTurn(tx, roomId, agent, turn);
    });
    return { room_id: roomId, agent_id: wireAgent(agent), turn_index: turn };
  }

  /** For clients of the time before rooms were made by listings: says who is there and changes nothing. */
  async join(roomId: string, agent: string): Promise<JoinedAnswer> {
    const { database, currentRooms, layers } = this.#options;
    const room = await currentRooms.readAs(roomId, agent);
    mustBeOpen(room);
    const bundle = await this.bundle(database.read, room, agent);
    return {
      room_id: room.id,
      state: room.state,
      joined: Object.fromEntries(room.participants.map((one) => [wireAgent(one.agent), true as const])),
      initial_bundle: bundle.hash,
      ...layers.hashes,
      ordered_stack: [...ORDERED_STACK],
    };
  }
}

interface Known {
  readonly snapshot: string;
  readonly hash: string;
}

const MOST = 20_000;

/**
 * Bundle hashes that were worked out lately: an agent fetches its snapshot and then names its hash, and there is no need
 * to build the whole prompt twice. The bundle is a pure function of what `snapshotOf` tells apart.
 */
class KnownHashes {
  /** Least recently added first. */
  readonly #known = new Map<string, Known>();

  find(room: Room, agent: string): string | undefined {
    const known = this.#known.get(keyOf(room, agent));
    return known?.snapshot === snapshotOf(room) ? known.hash : undefined;
  }

  add(room: Room, agent: string, hash: string): void {
    const key = keyOf(room, agent);
    this.#known.delete(key);
    this.#known.set(key, { snapshot: snapshotOf(room), hash });
    if (this.#known.size <= MOST) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

function keyOf({ id }: Room, agent: string): string {
  return `${id} ${agent}`;
}

/** Topic, limits and the messages before a turn never change; these do. */
function snapshotOf({ turnIndex, state, participants, closedAt }: Room): string {
  return `${turnIndex} ${state} ${participants.length} ${closedAt ?? ''}`;
}
