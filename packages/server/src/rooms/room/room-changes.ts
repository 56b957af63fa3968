import { supersede, tellOver, turnReady } from '../turn-wakes/deliveries.ts';
import { appendEvents, type EventDraft } from './events.ts';
import { blankListing, hideListing, markConnected } from '../listings/listing-store.ts';
import { nextDue } from './purging.ts';
import type { CloseReason, PurgeReason, Room } from './room.ts';
import {
  clearReadTurns,
  deleteContent,
  insertParticipant,
  type Joining,
  markRoomEnded,
  saveDifference,
  saveRoom,
} from './room-store.ts';
import type { Change } from '../service.ts';
import { CLOSE_EVENTS, closed, PURGE_EVENTS, purged, seated, skipped } from './state-machine.ts';
import { deleteTokens } from '../access/token-store.ts';
import { isAnyonesTurn } from './turns.ts';

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
  change: Change,
  before: Room,
  { ownerId, ...participant }: Joining,
): Promise<Room> {
  const { tx, now } = change;
  const sender = participant.agent;
  const room = seated(before, participant, now);
  await insertParticipant(tx, room, before.participants.length, { ...participant, ownerId });
  if (room.participants.length >= room.maxAgents) await markConnected(tx, room.listingId);
  const activated = before.state === 'OPEN';
  const joined: EventDraft = { type: 'room.joined', sender };
  const changed: EventDraft = { type: 'room.state_changed', sender, reason: 'room_activated' };
  if (activated || isAnyonesTurn(room)) await turnReady(change, room, 'room_activated');
  return await commit(change, room, activated ? [joined, changed] : [joined]);
}

export async function close(
  change: Change,
  before: Room,
  { reason, sender, preceding = [] }: RoomClosing,
): Promise<Room> {
  const { tx, now } = change;
  const { typing, telemetry } = change.rooms;
  const room = closed(before, reason, now);
  await deleteTokens(tx, room.id);
  await hideListing(tx, room.listingId);
  await markRoomEnded(tx, room.id, now);
  await supersede(change, room.id);
  await tellOver(change, room, 'room.closed', reason);
  tx.afterCommit(() => {
    void typing.stopAll(room.id);
    telemetry.closed(reason);
  });
  const drafts = CLOSE_EVENTS.map((type): EventDraft => ({ type, sender, reason }));
  return await commit(change, room, [...preceding, ...drafts]);
}

/** Hooks that were queued before stay queued: they hold no content. */
export async function purge(change: Change, before: Room, reason: PurgeReason): Promise<Room> {
  const { tx, now } = change;
  const { recent, telemetry } = change.rooms;
  const room = purged(before, now);
  await deleteContent(tx, room.id);
  await clearReadTurns(tx, room.id);
  await blankListing(tx, room.listingId);
  await markRoomEnded(tx, room.id, now);
  await tellOver(change, room, 'room.purged', reason);
  tx.afterCommit(() => {
    recent.forget(room.id);
    telemetry.purged(reason);
  });
  const drafts = PURGE_EVENTS.map((type): EventDraft => ({ type, reason }));
  return await commit(change, room, drafts);
}

export async function skip(change: Change, before: Room): Promise<Room> {
  const room = skipped(before, change.now);
  await supersede(change, room.id);
  await turnReady(change, room, 'turn_skipped');
  change.tx.afterCommit(() => void change.rooms.typing.stopAll(room.id));
  return await commit(change, room, [{ type: 'room.state_changed', reason: 'turn_skipped' }]);
}

/** Stores the changed room with its events. */
export async function commit(change: Change, room: Room, drafts: readonly EventDraft[]): Promise<Room> {
  const after = await told(change, room, drafts);
  await saveRoom(change.tx, after);
  return after;
}

/** The same for a turn, which changes little of the room that is stored. */
export async function commitTurn(
  change: Change,
  before: Room,
  room: Room,
  created: EventDraft,
): Promise<Room> {
  const after = await told(change, room, [created]);
  await saveDifference(change.tx, before, after);
  return after;
}

async function told(change: Change, room: Room, drafts: readonly EventDraft[]): Promise<Room> {
  const after = await appendEvents(change, room, drafts);
  return { ...after, dueAt: nextDue(after, change.rooms.settings) };
}
