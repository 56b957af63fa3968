import { parseAgentId } from '@parley/protocol/identity/agent-id';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { HUMAN_CODE_MS, MIN_AGENTS } from '@parley/protocol/rooms/limits';
import type {
  ConnectedAnswer,
  CreateListing,
  ListingAnswer,
  ListingSearchAnswer,
  SearchItem,
  SearchListings,
} from '@parley/protocol/rooms/types';
import { HUMAN_CODE_PREFIX } from '@parley/protocol/rooms/secrets';
import type { Change, RoomsService } from '../service.ts';
import { variableName } from '../../config/settings.ts';
import { toldLimit } from '../../platform/limits/limiter.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Tx } from '../../platform/database/database.ts';
import { isBlocked } from './block-store.ts';
import { rateLimited, RoomsError } from '../../wire/rooms/errors.ts';
import { newId, newSecret } from '../ids.ts';
import { spend } from '../limiters.ts';
import * as store from './listing-store.ts';
import { close, commit, seat } from '../room/room-changes.ts';
import { changeRoom, mustBeOpen } from '../room/current-rooms.ts';
import { newRoomKey } from '../room/encryption.ts';
import { isParticipant, namedAgents, type Room, wireAgent } from '../room/room.ts';
import { findRoom, insertRoom } from '../room/room-store.ts';
import { countText, mustHaveOwner } from '../room/text-budget.ts';
import { firstActor, nextActorId, nextActorIdFor } from '../room/turns.ts';

/** Longer than any topic or tag: such a search finds nothing. */
const LONGEST_SEARCH = 400;

/** Public or private offers to talk. Each has its room from the first moment. */
export async function openListing(
  rooms: RoomsService,
  agent: string,
  request: CreateListing,
): Promise<ListingAnswer> {
  const { database, clock, random, limiters } = rooms;
  const allowed = request.allow_agents?.map(knownSpelling);
  const ownerId = await mustHaveOwner(rooms, agent);
  await spend(limiters.listings, agent);
  const humanCode = newSecret(random, HUMAN_CODE_PREFIX);
  const room = await database.write(async (tx) => {
    const now = clock.now();
    const change = { rooms, tx, now };
    await refuseTooMany(change, agent);
    const fresh = newRoom(rooms, agent, request, humanCode, now);
    const text = `${request.topic}${request.tags.join('')}`;
    await countText(change, { roomId: fresh.id, ownerId, text });
    await insertRoom(tx, fresh, ownerId);
    await store.insertListing(tx, request, fresh, agent, allowed);
    return await commit(change, fresh, [
      { type: 'room.created', sender: agent },
      { type: 'room.joined', sender: agent },
    ]);
  });
  return {
    id: room.listingId,
    agent_id: wireAgent(agent),
    topic: request.topic,
    tags: request.tags,
    max_turns: request.max_turns,
    ttl_seconds: request.ttl_seconds,
    created_at: isoSeconds(room.createdAt),
    connected: false,
    room_id: room.id,
    human_code: humanCode,
    owner_joined: true,
    room_state: room.state,
    next_actor_id: nextActorId(room),
    ...(request.max_agents > MIN_AGENTS && { max_agents: request.max_agents }),
    ...(request.turn_timeout_seconds > 0 && { turn_timeout_seconds: request.turn_timeout_seconds }),
    ...(request.first_speaker !== 'owner' && { first_speaker: request.first_speaker }),
    ...(allowed && { allow_agents: allowed.map(wireAgent) }),
  };
}

/** `agent`, when known, also sees private offers made to it or by it. */
export async function findListings(
  rooms: RoomsService,
  request: SearchListings,
  agent: string | undefined,
): Promise<ListingSearchAnswer> {
  const { database, clock } = rooms;
  const beforeSeq =
    request.before === undefined ? Number.MAX_SAFE_INTEGER : await seqOf(rooms, request.before);
  const text = store.searchable(request.q ?? '');
  if (text.length > LONGEST_SEARCH || text.includes('\0')) return { items: [] };
  const found = await store.searchListings(database.read, {
    text,
    beforeSeq,
    now: clock.now(),
    agent,
    limit: request.limit + 1,
  });
  const items = found.slice(0, request.limit).map(toItem);
  const last = items.at(-1);
  return { items, ...(found.length > request.limit && last && { next_before: last.id }) };
}

export async function connectListing(
  rooms: RoomsService,
  listingId: string,
  agent: string,
): Promise<ConnectedAnswer> {
  const listing = await store.findListing(rooms.database.read, listingId);
  if (!listing) throw new RoomsError('listing_not_found');
  if (listing.agent === agent) throw new RoomsError('forbidden', 'This listing is your own.');
  const ownerId = await mustHaveOwner(rooms, agent);
  const room = await changeRoom(rooms, listing.roomId, async (change, current) => {
    await refuseUnwanted(change.tx, listing, agent);
    const full = current.participants.length >= current.maxAgents;
    if (full || isParticipant(current, agent)) throw new RoomsError('listing_already_connected');
    mustBeOpen(current);
    return await seat(change, current, { agent, joinedAt: change.now, readTurn: null, ownerId });
  });
  return {
    room_id: room.id,
    human_code: '',
    ...namedAgents(room),
    room_state: room.state,
    listing_id: listing.id,
    next_turn_a: wireAgent(listing.agent),
    next_actor_id: nextActorIdFor(room, agent),
  };
}

/** Nobody would be met there any more: the agent is gone. What runs goes on until its own end. */
export async function withdrawListings(rooms: RoomsService, tx: Tx, agent: string): Promise<void> {
  // In the order of their ids, so that two who lock several rooms cannot wait for each other.
  for (const { id, roomId } of await store.findOpenListings(tx, agent)) {
    await tx.lock(`room:${roomId}`);
    const room = await findRoom(tx, roomId);
    if (room?.state === 'OPEN') {
      await close({ rooms, tx, now: rooms.clock.now() }, room, { reason: 'manual_close', sender: agent });
    } else {
      await store.hideListing(tx, id);
    }
  }
}

async function refuseTooMany({ rooms, tx, now }: Change, agent: string): Promise<void> {
  const most = rooms.settings.openListings;
  if (!Number.isFinite(most)) return;
  await tx.lock(`room-listings:${agent}`);
  const { open, firstExpiry } = await store.countOpenListings(tx, agent, now);
  if (open < most) return;
  throw rateLimited({
    retryAfterSec: Math.max(1, Math.ceil(((firstExpiry ?? now) - now) / 1000)),
    told: toldLimit(most, undefined, variableName('rlOpenListingsPerAgent')),
  });
}

async function refuseUnwanted(tx: Tx, listing: store.StoredListing, agent: string): Promise<void> {
  if (listing.private === 1 && !(await store.isAllowed(tx, listing.id, agent)))
    throw new RoomsError('forbidden');
  if (await isBlocked(tx, listing.agent, agent)) throw new RoomsError('forbidden');
}

function newRoom(
  rooms: RoomsService,
  agent: string,
  request: CreateListing,
  humanCode: string,
  now: number,
): Room {
  const { random } = rooms;
  const id = newId(random, 'room');
  const participants = [{ agent, joinedAt: now, readTurn: null }];
  return {
    id,
    listingId: newId(random, 'lst'),
    state: 'OPEN',
    topic: request.topic,
    maxTurns: request.max_turns,
    maxAgents: request.max_agents,
    firstSpeaker: request.first_speaker,
    turnTimeoutMs: request.turn_timeout_seconds > 0 ? request.turn_timeout_seconds * 1000 : null,
    turnIndex: 0,
    nextActor: firstActor({ firstSpeaker: request.first_speaker, participants }),
    turnStartedAt: null,
    skips: 0,
    createdAt: now,
    ttlAt: now + request.ttl_seconds * 1000,
    closedAt: null,
    closeReason: null,
    purgedAt: null,
    lastReadAt: null,
    keptAt: null,
    dueAt: null,
    lastEvent: 0,
    sealedKey: newRoomKey(rooms, id),
    codeHash: hashSecret(humanCode),
    codeExpiresAt: now + HUMAN_CODE_MS,
    participants,
  };
}

async function seqOf(rooms: RoomsService, listingId: string): Promise<number> {
  const listing = await store.findListing(rooms.database.read, listingId);
  if (!listing) throw new RoomsError('invalid_request', 'before: no listing has this id.');
  return listing.seq;
}

function knownSpelling(text: string): string {
  const suffix = parseAgentId(text);
  if (suffix === undefined)
    throw new RoomsError('invalid_request', 'allow_agents: each must be an agent id.');
  return suffix;
}

function toItem(listing: store.StoredListing): SearchItem {
  return {
    id: listing.id,
    agent_id: wireAgent(listing.agent),
    topic: listing.topic,
    // Written by `insertListing`.
    tags: JSON.parse(listing.tags) as string[],
    max_turns: listing.maxTurns,
    ttl_seconds: listing.ttlSeconds,
    connected: false,
    created_at: isoSeconds(listing.createdAt),
  };
}
