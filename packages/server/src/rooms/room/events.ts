import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { RoomEventData, RoomEventType } from '@parley/protocol/rooms/types';
import type { Change, RoomEvent, RoomsService } from '../service.ts';
import { cipherOf, type RoomCipher } from './encryption.ts';
import { insertRoomEvent, roomEventsAfter, type StoredEvent } from './event-store.ts';
import { findRoom } from './room-store.ts';
import { type Room, wireAgent } from './room.ts';
import { queueHooks } from '../webhooks/outbox.ts';

/** An event in the making; the rest of its keys follow from the room. */
export type EventDraft =
  | {
      readonly type: 'message.created';
      readonly message: { id: string; turn: number; sender: string; text: string };
    }
  | {
      readonly type: Exclude<RoomEventType, 'message.created'>;
      readonly sender?: string | undefined;
      readonly reason?: string | undefined;
    };

/**
 * Returns the room with its new last event; the caller stores it. There is one counter for the events of all rooms. The caller
 * holds the room's lock, so within a room the order of sequences is the order of commits.
 */
export async function appendEvents(
  { rooms, tx, now }: Change,
  room: Room,
  drafts: readonly EventDraft[],
): Promise<Room> {
  let { lastEvent } = room;
  for (const draft of drafts) {
    const fields = columns(room, draft);
    const prev = lastEvent;
    lastEvent = await insertRoomEvent(tx, { roomId: room.id, prev, createdAt: now, ...fields });
    const message = draft.type === 'message.created' ? draft.message : undefined;
    const data = eventData({ seq: lastEvent, roomId: room.id, createdAt: now, ...fields }, message);
    const event: RoomEvent = { seq: lastEvent, prev, roomId: room.id, type: draft.type, data };
    tx.afterCommit(() => rooms.announced.events.tell(event));
    await queueHooks(rooms, tx, { event, room, sender: fields.sender, at: now });
  }
  return { ...room, lastEvent };
}

/** A page of a room's events after a cursor, oldest first. Fewer than `limit`: there are no more. */
export async function readRoomEvents(
  rooms: RoomsService,
  roomId: string,
  after: number,
  limit: number,
): Promise<RoomEvent[]> {
  const { read } = rooms.database;
  const rows = await roomEventsAfter(read, roomId, after, limit);
  // Undefined when the room was purged between two reads.
  const room = rows.some(({ sealedText }) => sealedText !== null) ? await findRoom(read, roomId) : undefined;
  const cipher = room?.sealedKey ? cipherOf(rooms, room) : undefined;
  return rows.map((row) => ({
    seq: row.seq,
    prev: row.prev,
    roomId,
    type: row.type,
    data: eventData(row, cipher && messageOf(row, cipher)),
  }));
}

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

function messageOf(row: StoredEvent, cipher: RoomCipher): { id: string; text: string } | undefined {
  if (row.turn === null || row.messageId === null || row.sealedText === null) return undefined;
  return { id: row.messageId, text: cipher.open(row.turn, row.sealedText) };
}

type EventFacts = Omit<StoredEvent, 'prev' | 'messageId' | 'sealedText'>;

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
