import type { Tx } from '../../platform/database/database.ts';
import type { Deliveries } from '../turn-wakes/deliveries.ts';
import { deleteEvents } from './event-store.ts';
import type { EventDraft, RoomEvents } from './events.ts';
import { blankListing, hideListing, markConnected } from '../listings/listing-store.ts';
import { deleteMessages } from '../conversation/message-store.ts';
import { nextDue } from './purging.ts';
import type { RecentMessages } from '../conversation/recent-messages.ts';
import type { CloseReason, Participant, PurgeReason, Room } from './room.ts';
import { clearReadTurns, insertParticipant, markEnded, saveRoom } from './room-store.ts';
import type { RoomSettings } from '../settings.ts';
import { CLOSE_EVENTS, closed, PURGE_EVENTS, purged, seated, skipped } from './state-machine.ts';
import type { RoomTelemetry } from '../telemetry.ts';
import { deleteTokens } from '../access/token-store.ts';
import { deleteTextBytes } from './text-byte-store.ts';
import { isAnyonesTurn } from './turns.ts';
import type { Typing } from '../conversation/typing.ts';
import { deleteViewers } from '../viewers/viewer-store.ts';

export interface RoomChangesOptions {
  readonly settings: RoomSettings;
  readonly events: RoomEvents;
  readonly deliveries: Deliveries;
  readonly typing: Typing;
  readonly recent: RecentMessages;
  readonly telemetry: RoomTelemetry;
}

export interface Closing {
  readonly reason: CloseReason;
  readonly sender?: string;
  /** Events of the same change that come first. */
  readonly preceding?: readonly EventDraft[];
}

/**
 * What a transition does besides changing the room: events, wake-ups, tokens, listing. The caller holds the room's lock;
 * everything commits together or not at all.
 */
export class RoomChanges {
  readonly #options: RoomChangesOptions;

  constructor(options: RoomChangesOptions) {
    this.#options = options;
  }

  async seat(tx: Tx, before: Room, participant: Participant, now: number): Promise<Room> {
    const { deliveries } = this.#options;
    const sender = participant.agent;
    const room = seated(before, participant, now);
    await insertParticipant(tx, room.id, before.participants.length, participant);
    if (room.participants.length >= room.maxAgents) await markConnected(tx, room.listingId);
    const activated = before.state === 'OPEN';
    const joined: EventDraft = { type: 'room.joined', sender };
    const changed: EventDraft = { type: 'room.state_changed', sender, reason: 'room_activated' };
    if (activated || isAnyonesTurn(room)) await deliveries.turnReady(tx, room, 'room_activated', now);
    return await this.commit(tx, room, activated ? [joined, changed] : [joined], now);
  }

  async close(tx: Tx, before: Room, { reason, sender, preceding = [] }: Closing, now: number): Promise<Room> {
    const { deliveries, typing, telemetry } = this.#options;
    const room = closed(before, reason, now);
    await deleteTokens(tx, room.id);
    await hideListing(tx, room.listingId);
    await markEnded(tx, room.id, now);
    await deliveries.supersede(tx, room.id);
    await deliveries.closed(tx, room, now);
    tx.afterCommit(() => {
      typing.stopAll(room.id);
      telemetry.closed(reason);
    });
    const drafts = CLOSE_EVENTS.map((type): EventDraft => ({ type, sender, reason }));
    return await this.commit(tx, room, [...preceding, ...drafts], now);
  }

  /** Hooks that were queued before stay queued: they hold no content. */
  async purge(tx: Tx, before: Room, reason: PurgeReason, now: number): Promise<Room> {
    const { deliveries, recent, telemetry } = this.#options;
    const room = purged(before, now);
    await deleteMessages(tx, room.id);
    await deleteTextBytes(tx, room.id);
    await clearReadTurns(tx, room.id);
    await deleteViewers(tx, room.id);
    await deleteEvents(tx, room.id);
    await deleteTokens(tx, room.id);
    await blankListing(tx, room.listingId);
    await markEnded(tx, room.id, now);
    await deliveries.purged(tx, room, reason, now);
    tx.afterCommit(() => {
      recent.forget(room.id);
      telemetry.purged(reason);
    });
    return await this.commit(
      tx,
      room,
      PURGE_EVENTS.map((type) => ({ type, reason })),
      now,
    );
  }

  async skip(tx: Tx, before: Room, now: number): Promise<Room> {
    const { deliveries, typing } = this.#options;
    const room = skipped(before, now);
    await deliveries.supersede(tx, room.id);
    await deliveries.turnReady(tx, room, 'turn_skipped', now);
    tx.afterCommit(() => typing.stopAll(room.id));
    return await this.commit(tx, room, [{ type: 'room.state_changed', reason: 'turn_skipped' }], now);
  }

  /** Stores the changed room with its events. */
  async commit(tx: Tx, room: Room, drafts: readonly EventDraft[], now: number): Promise<Room> {
    const { events, settings } = this.#options;
    const told = await events.append(tx, room, drafts, now);
    const stored = { ...told, dueAt: nextDue(told, settings) };
    await saveRoom(tx, stored);
    return stored;
  }
}
