import type { RoomEventData, RoomEventType, RoomState } from '@parley/protocol/rooms/types';
import type { Database, Reader, Tx } from '../../platform/database/database.ts';
import type { StreamEvent } from '../../platform/streams/stream-event.ts';
import type { RoomEncryption } from './encryption.ts';
import { eventsAfter, insertEvent, isEventOf, type StoredEvent } from './event-store.ts';
import type { Listeners } from './listeners.ts';
import { findRoom } from './room-store.ts';
import { type Room, wireAgent } from './room.ts';
import { isoSeconds } from '../../wire/rooms/times.ts';

/** One event of a room, after its commit: for `StreamHub` topics of one room. */
export interface RoomEvent extends StreamEvent {
  readonly roomId: string;
  readonly type: RoomEventType;
  /** As the stream and the history show it. */
  readonly data: RoomEventData;
}

/** An event in the making; the rest of its keys follow from the room. */
export type EventDraft =
  | { readonly type: 'message.created'; readonly message: DraftMessage }
  | {
      readonly type: Exclude<RoomEventType, 'message.created'>;
      readonly sender?: string | undefined;
      readonly reason?: string | undefined;
    };

interface DraftMessage {
  readonly id: string;
  readonly turn: number;
  readonly sender: string;
  readonly text: string;
}

/** What a committed change means to somebody who is not connected. `room` is as the whole change left it. */
export interface RoomChange {
  readonly event: RoomEvent;
  readonly room: Room;
  /** The agent that caused it; null when the clock did. */
  readonly sender: string | null;
  readonly at: number;
}

/** Called in the transaction of the change, so that hooks are queued with it or not at all. */
export type QueueWebhooks = (tx: Tx, change: RoomChange) => Promise<void>;

export interface RoomEventsOptions {
  readonly database: Database;
  readonly encryption: RoomEncryption;
  readonly announced: Listeners<RoomEvent>;
  readonly queueWebhooks: QueueWebhooks;
}

/**
 * The events of all rooms, under one server-wide counter. The caller holds the room's lock, so within a room the order of
 * sequences is the order of commits.
 */
export class RoomEvents {
  readonly #options: RoomEventsOptions;

  constructor(options: RoomEventsOptions) {
    this.#options = options;
  }

  /** Returns the room with its new last event; the caller stores it. */
  async append(tx: Tx, room: Room, drafts: readonly EventDraft[], now: number): Promise<Room> {
    const { announced, queueWebhooks } = this.#options;
    let { lastEvent } = room;
    for (const draft of drafts) {
      const fields = columns(room, draft);
      const prev = lastEvent;
      lastEvent = await insertEvent(tx, { roomId: room.id, prev, createdAt: now, ...fields });
      const message = draft.type === 'message.created' ? draft.message : undefined;
      const data = eventData({ seq: lastEvent, roomId: room.id, createdAt: now, ...fields }, message);
      const event: RoomEvent = { seq: lastEvent, prev, roomId: room.id, type: draft.type, data };
      tx.afterCommit(() => announced.tell(event));
      await queueWebhooks(tx, { event, room, sender: fields.sender, at: now });
    }
    return { ...room, lastEvent };
  }

  /** A page of a room's events after a cursor, oldest first. Fewer than `limit`: there are no more. */
  async read(roomId: string, after: number, limit: number): Promise<RoomEvent[]> {
    const { read } = this.#options.database;
    const rows = await eventsAfter(read, roomId, after, limit);
    const texts = rows.some(({ sealedText }) => sealedText !== null)
      ? await this.#opener(read, roomId)
      : undefined;
    return rows.map((row) => ({
      seq: row.seq,
      prev: row.prev,
      roomId,
      type: row.type,
      data: eventData(row, texts && messageOf(row, texts)),
    }));
  }

  /** Whether a cursor may be used for this room: its beginning, or one of its own events. */
  async isCursor(roomId: string, since: number): Promise<boolean> {
    return since === 0 || (await isEventOf(this.#options.database.read, roomId, since));
  }

  /** Undefined when the room was purged between two reads. */
  async #opener(reader: Reader, roomId: string): Promise<OpenText | undefined> {
    const room = await findRoom(reader, roomId);
    if (!room?.sealedKey) return undefined;
    const cipher = this.#options.encryption.cipher(room);
    return (turn, sealed) => cipher.open(turn, sealed);
  }
}

type OpenText = (turn: number, sealed: string) => string;

function columns(room: Room, draft: EventDraft) {
  if (draft.type === 'message.created') {
    const { sender, turn } = draft.message;
    return { type: draft.type, sender, turn, roomState: null, reason: null };
  }
  return {
    type: draft.type,
    sender: draft.sender ?? null,
    turn: null,
    roomState: room.state,
    reason: draft.reason ?? null,
  };
}

function messageOf(row: StoredEvent, open: OpenText): { id: string; text: string } | undefined {
  if (row.turn === null || row.messageId === null || row.sealedText === null) return undefined;
  return { id: row.messageId, text: open(row.turn, row.sealedText) };
}

interface EventFacts {
  readonly seq: number;
  readonly roomId: string;
  readonly type: RoomEventType;
  readonly createdAt: number;
  readonly sender: string | null;
  readonly turn: number | null;
  readonly roomState: RoomState | null;
  readonly reason: string | null;
}

/** The order of the keys is part of the frames' form. */
function eventData(facts: EventFacts, message: { id: string; text: string } | undefined): RoomEventData {
  const { seq, roomId, type, createdAt, sender, turn, roomState, reason } = facts;
  return {
    event_id: seq,
    type,
    room_id: roomId,
    created_at: isoSeconds(createdAt),
    ...(message && { message_id: message.id }),
    ...(turn !== null && { turn }),
    ...(sender !== null && { sender_id: wireAgent(sender) }),
    ...(message && { ciphertext: message.text }),
    ...(roomState !== null && { room_state: roomState }),
    ...(reason !== null && { reason }),
  };
}
