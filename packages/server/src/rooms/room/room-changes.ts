import type { Tx } from '../../platform/database/database.ts';
import { supersede, tellClosed, tellPurged, turnReady } from '../turn-wakes/deliveries.ts';
import { deleteEvents } from './event-store.ts';
import { appendEvents, type EventDraft } from './events.ts';
import { blankListing, hideListing, markConnected } from '../listings/listing-store.ts';
import { deleteMessages } from '../conversation/message-store.ts';
import { nextDue } from './purging.ts';
import type { CloseReason, PurgeReason, Room } from './room.ts';
import {
  clearReadTurns,
  insertParticipant,
  type Joining,
  markEnded,
  saveDifference,
  saveRoom,
} from './room-store.ts';
import type { RoomsService } from '../service.ts';
import { CLOSE_EVENTS, closed, PURGE_EVENTS, purged, seated, skipped } from './state-machine.ts';
import { deleteTokens } from '../access/token-store.ts';
import { deleteTextBytes } from './text-byte-store.ts';
import { isAnyonesTurn } from './turns.ts';
import { deleteViewers } from '../viewers/viewer-store.ts';

export interface RoomClosing {
  readonly reason: CloseReason;
  readonly sender?: string;
  /** Events of the same change that come first. */
  readonly preceding?: readonly EventDraft[];
}

/**
 * What a transition does besides changing the room: events, wake-ups, tokens, listing. The caller holds the room's lock;
 * everything commits together or not at all.
 */
export async function seat(
  rooms: RoomsService,
  tx: Tx,
  before: Room,
  { ownerId, ...participant }: Joining,
  now: number,
): Promise<Room> {
  const sender = participant.agent;
  const room = seated(before, participant, now);
  await insertParticipant(tx, room, before.participants.length, { ...participant, ownerId });
  if (room.participants.length >= room.maxAgents) await markConnected(tx, room.listingId);
  const activated = before.state === 'OPEN';
  const joined: EventDraft = { type: 'room.joined', sender };
  const changed: EventDraft = { type: 'room.state_changed', sender, reason: 'room_activated' };
  if (activated || isAnyonesTurn(room)) await turnReady(rooms, tx, room, 'room_activated', now);
  return await commit(rooms, tx, room, activated ? [joined, changed] : [joined], now);
}

export async function close(
  rooms: RoomsService,
  tx: Tx,
  before: Room,
  { reason, sender, preceding = [] }: RoomClosing,
  now: number,
): Promise<Room> {
  const { typing, telemetry } = rooms;
  const room = closed(before, reason, now);
  await deleteTokens(tx, room.id);
  await hideListing(tx, room.listingId);
  await markEnded(tx, room.id, now);
  await supersede(rooms, tx, room.id);
  await tellClosed(rooms, tx, room, now);
  tx.afterCommit(() => {
    typing.stopAll(room.id);
    telemetry.closed(reason);
  });
  const drafts = CLOSE_EVENTS.map((type): EventDraft => ({ type, sender, reason }));
  return await commit(rooms, tx, room, [...preceding, ...drafts], now);
}

/** Hooks that were queued before stay queued: they hold no content. */
export async function purge(
  rooms: RoomsService,
  tx: Tx,
  before: Room,
  reason: PurgeReason,
  now: number,
): Promise<Room> {
  const { recent, telemetry } = rooms;
  const room = purged(before, now);
  await deleteMessages(tx, room.id);
  await deleteTextBytes(tx, room.id);
  await clearReadTurns(tx, room.id);
  await deleteViewers(tx, room.id);
  await deleteEvents(tx, room.id);
  await deleteTokens(tx, room.id);
  await blankListing(tx, room.listingId);
  await markEnded(tx, room.id, now);
  await tellPurged(rooms, tx, room, reason, now);
  tx.afterCommit(() => {
    recent.forget(room.id);
    telemetry.purged(reason);
  });
  const drafts = PURGE_EVENTS.map((type): EventDraft => ({ type, reason }));
  return await commit(rooms, tx, room, drafts, now);
}

export async function skip(rooms: RoomsService, tx: Tx, before: Room, now: number): Promise<Room> {
  const room = skipped(before, now);
  await supersede(rooms, tx, room.id);
  await turnReady(rooms, tx, room, 'turn_skipped', now);
  tx.afterCommit(() => rooms.typing.stopAll(room.id));
  return await commit(rooms, tx, room, [{ type: 'room.state_changed', reason: 'turn_skipped' }], now);
}

/** Stores the changed room with its events. */
async function commit(
  rooms: RoomsService,
  tx: Tx,
  room: Room,
  drafts: readonly EventDraft[],
  now: number,
): Promise<Room> {
  const after = await told(rooms, tx, room, drafts, now);
  await saveRoom(tx, after);
  return after;
}

/** The same for a turn, which changes little of the room that is stored. */
export async function commitTurn(
  rooms: RoomsService,
  tx: Tx,
  before: Room,
  room: Room,
  created: EventDraft,
  now: number,
): Promise<Room> {
  const after = await told(rooms, tx, room, [created], now);
  await saveDifference(tx, before, after);
  return after;
}

async function told(
  rooms: RoomsService,
  tx: Tx,
  room: Room,
  drafts: readonly EventDraft[],
  now: number,
): Promise<Room> {
  const after = await appendEvents(rooms, tx, room, drafts, now);
  return { ...after, dueAt: nextDue(after, rooms.settings) };
}
