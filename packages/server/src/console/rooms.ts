import { agentId } from '@parley/protocol/identity/agent-id';
import type {
  ConsoleRoomAnswer,
  ConsoleRoomsAnswer,
  ListedRoomAnswer,
} from '@parley/protocol/console/room-routes';
import type { roomsQuery } from '@parley/protocol/console/room-schemas';
import type { z } from 'zod';
import { addressOf, type AgentDetails } from '../identity/agents/agent-details.ts';
import { listRooms, type LookedAt, lookAtRoom } from '../rooms/overview/room-looks.ts';
import { readRoom } from '../rooms/room/current-rooms.ts';
import { DeliveryError } from '../wire/delivery/errors.ts';
import { iso, isoOrNull } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import { RoomsError } from '../wire/rooms/errors.ts';
import { noteAudit } from './audit.ts';
import type { ConsoleContext } from './create-module.ts';
import { cursorOf, placeOf, readsTexts, scopeOf, seesAll, showsTexts } from './scope.ts';

/** Rooms with an agent of the owner in them, or all rooms. */
export async function roomsOf(
  context: ConsoleContext,
  person: Person,
  { cursor, limit, owner, state }: z.output<typeof roomsQuery>,
): Promise<ConsoleRoomsAnswer> {
  const { rooms } = context;
  const ownerId = await scopeOf(context, person, owner);
  const found = await listRooms(rooms.service, { ownerId, state, after: placeOf(cursor), limit: limit + 1 });
  const page = found.slice(0, limit);
  const names = await namesIn(context, page);
  const last = page.at(-1)?.room;
  return {
    rooms: page.map((each) => listed(each, person, names, textsOf(each, person, names))),
    next: found.length > limit && last ? cursorOf({ at: last.createdAt, id: last.id }) : null,
  };
}

/** A room that none of the owner's agents is in is not there. */
export async function roomOf(
  context: ConsoleContext,
  person: Person,
  roomId: string,
): Promise<ConsoleRoomAnswer> {
  const room = await readRoom(context.rooms.service, roomId).catch((error: unknown) => {
    throw error instanceof RoomsError ? new DeliveryError('not_found', 'there is no such room') : error;
  });
  const names = await namesIn(context, [{ room }]);
  const owners = new Set([...names.agents.values()].map(({ ownerId }) => ownerId));
  if (person.ownerId !== undefined && !owners.has(person.ownerId))
    throw new DeliveryError('not_found', 'there is no such room');
  const texts = readsTexts(person);
  if (person.role === 'operator' && person.sees === 'content')
    for (const ownerId of owners)
      await noteAudit(context, { ownerId, actor: 'operator', action: 'looked', object: `room ${roomId}` });
  const look = await lookAtRoom(context.rooms.service, room, texts);
  const address = addressIn(names);
  return {
    ...listed(look, person, names, texts),
    participants: room.participants.map(({ agent, joinedAt, readTurn }) => ({
      ...participantIn(names, person, agent),
      joined_at: iso(joinedAt),
      read_turn: readTurn,
      context_hash: look.hashes.get(agent) ?? null,
    })),
    layers: look.layers,
    messages: look.messages.map(({ id, turn, sender, text, createdAt, read }) => ({
      id,
      turn,
      from: address(sender),
      text,
      at: iso(createdAt),
      read,
    })),
    events: look.events.map(({ seq, type, createdAt: at, sender, turn, reason }) => ({
      id: seq,
      type,
      at: iso(at),
      by: sender === null ? null : address(sender),
      turn,
      reason,
    })),
    watching: look.watching,
    kept: room.keptAt !== null,
    purge_after: isoOrNull(look.purgeAfter),
  };
}

interface RoomNames {
  readonly agents: ReadonlyMap<string, AgentDetails>;
  readonly slugs: ReadonlyMap<string, string>;
}

async function namesIn(
  { identity }: ConsoleContext,
  rooms: readonly Pick<LookedAt, 'room'>[],
): Promise<RoomNames> {
  const suffixes = rooms.flatMap(({ room }) => room.participants.map(({ agent }) => agent));
  const agents = await identity.directory.bySuffix(suffixes);
  return { agents, slugs: await identity.ownerSlugs([...agents.values()].map(({ ownerId }) => ownerId)) };
}

const addressIn =
  ({ agents, slugs }: RoomNames) =>
  (suffix: string): string => {
    const agent = agents.get(suffix);
    return agent ? addressOf(agent, slugs.get(agent.ownerId) ?? '') : suffix;
  };

/** Of a room in a list; whoever opens one is noted for each that takes part. */
const textsOf = ({ room }: Pick<LookedAt, 'room'>, person: Person, { agents }: RoomNames): boolean =>
  room.participants.some(({ agent }) => showsTexts(person, agents.get(agent)?.ownerId ?? ''));

function listed(
  { room, offered, private: hidden }: LookedAt,
  person: Person,
  names: RoomNames,
  texts: boolean,
): ListedRoomAnswer {
  const { agents, slugs } = names;
  const address = addressIn(names);
  const first = agents.get(room.participants[0]?.agent ?? '');
  return {
    id: room.id,
    owner: slugs.get(first?.ownerId ?? '') ?? '',
    topic: texts && room.state !== 'PURGED' ? room.topic : null,
    state: room.state,
    offered,
    private: hidden,
    turn: room.turnIndex,
    max_turns: room.maxTurns,
    max_agents: room.maxAgents,
    next: room.nextActor === null ? null : address(room.nextActor),
    turn_started_at: isoOrNull(room.turnStartedAt),
    created_at: iso(room.createdAt),
    closes_at: iso(room.ttlAt),
    closed_at: isoOrNull(room.closedAt),
    close_reason: room.closeReason,
    participants: room.participants.map(({ agent }) => participantIn(names, person, agent)),
  };
}

function participantIn(names: RoomNames, person: Person, suffix: string) {
  const known = names.agents.get(suffix);
  const own = person.ownerId === undefined || known?.ownerId === person.ownerId;
  return {
    id: agentId.rooms(suffix),
    address: addressIn(names)(suffix),
    name: known?.name ?? '',
    yours: seesAll(person) && own && known?.deletedAt === null,
  };
}
