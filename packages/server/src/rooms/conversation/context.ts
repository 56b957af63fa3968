import { MODE, POLL_INTERVAL_MS } from '@parley/protocol/rooms/limits';
import { roomContextAck } from '@parley/protocol/rooms/routes';
import type { ContextAcknowledgedAnswer, ContextAnswer, JoinedAnswer } from '@parley/protocol/rooms/types';
import type { Reader } from '../../platform/database/database.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { type Bundle, promptBundle } from './prompt-bundle.ts';
import { ORDERED_STACK } from './prompt-layers.ts';
import type { RoomsService } from '../service.ts';
import { changeRoom, mustBeOpen, mustNotBePurged, mustTakePart, readRoomAs } from '../room/current-rooms.ts';
import { namedAgents, type Room, wireAgent } from '../room/room.ts';
import { raiseReadTurn } from '../room/room-store.ts';
import { nextActorIdFor } from '../room/turns.ts';

/** The prompt of a room, as one participant sees it. However long the room is, at most six messages are read. */
export async function bundleOf(
  { layers, recent, hashes }: RoomsService,
  reader: Reader,
  room: Room,
  agent: string,
): Promise<Bundle> {
  const messages = await recent.read(reader, room);
  const { agent_a_id: agentA, agent_b_id: agentB } = namedAgents(room);
  const bundle = promptBundle(layers, { ...room, agentA, agentB }, messages, wireAgent(agent));
  hashes.add(room, agent, bundle.hash);
  return bundle;
}

/** The hash of the bundle that the agent would be given now. */
export async function bundleHash(
  rooms: RoomsService,
  reader: Reader,
  room: Room,
  agent: string,
): Promise<string> {
  return rooms.hashes.find(room, agent) ?? (await bundleOf(rooms, reader, room, agent)).hash;
}

export async function readContext(
  rooms: RoomsService,
  roomId: string,
  agent: string,
): Promise<ContextAnswer> {
  const { database, layers } = rooms;
  const room = await readRoomAs(rooms, roomId, agent);
  mustNotBePurged(room);
  const bundle = await bundleOf(rooms, database.read, room, agent);
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

export async function acknowledgeContext(
  rooms: RoomsService,
  roomId: string,
  agent: string,
  turn: number,
): Promise<ContextAcknowledgedAnswer> {
  await changeRoom(rooms, roomId, async ({ tx }, room) => {
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
export async function joinRoom(rooms: RoomsService, roomId: string, agent: string): Promise<JoinedAnswer> {
  const { database, layers } = rooms;
  const room = await readRoomAs(rooms, roomId, agent);
  mustBeOpen(room);
  const bundle = await bundleOf(rooms, database.read, room, agent);
  return {
    room_id: room.id,
    state: room.state,
    joined: Object.fromEntries(room.participants.map((one) => [wireAgent(one.agent), true as const])),
    initial_bundle: bundle.hash,
    ...layers.hashes,
    ordered_stack: [...ORDERED_STACK],
  };
}
