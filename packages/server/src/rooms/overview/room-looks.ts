import type { CountAsk } from '../../platform/database/built.ts';
import { bundleHash } from '../conversation/context.ts';
import { allMessages } from '../conversation/message-store.ts';
import { ORDERED_STACK } from '../conversation/prompt-layers.ts';
import { cipherOf } from '../room/encryption.ts';
import { purgeAfter } from '../room/purging.ts';
import { type Room, wasRead } from '../room/room.ts';
import type { RoomsService } from '../service.ts';
import { countActiveViewers, watchedUntil } from '../viewers/viewer-store.ts';
import * as store from './room-list-store.ts';

const MOST_EVENTS = 200;

export interface LookedAt {
  readonly room: Room;
  readonly offered: boolean;
  readonly private: boolean;
}

/** Rooms as people see them who need no code: their owners, and operators. */
export async function listRooms({ database }: RoomsService, ask: store.RoomAsk): Promise<LookedAt[]> {
  const rooms = await store.roomsLately(database.read, ask);
  return await withOffers(database, rooms);
}

async function withOffers({ read }: RoomsService['database'], rooms: readonly Room[]): Promise<LookedAt[]> {
  const offers = new Map((await store.offersOf(read, rooms)).map((offer) => [offer.roomId, offer]));
  return rooms.map((room) => {
    const offer = offers.get(room.id);
    return { room, offered: offer?.visible === 1, private: offer?.private === 1 };
  });
}

/** How many turns were taken by stretch of time; by the agents of one account, or by all. */
export const turnCounts = ({ database }: RoomsService, ask: CountAsk) =>
  store.turnCountsSince(database.read, ask);

/** All there is of a room. It counts as no reading: whoever looks so does not keep it from being purged. */
export async function lookAtRoom(rooms: RoomsService, room: Room, withTexts: boolean) {
  const { database, clock, settings, layers } = rooms;
  const { read } = database;
  const gone = room.state === 'PURGED';
  const messages = gone ? [] : await allMessages(read, room.id, room.turnIndex);
  const cipher = withTexts && messages.length > 0 ? cipherOf(rooms, room) : undefined;
  const hashes = new Map<string, string>();
  if (!gone)
    for (const { agent } of room.participants) hashes.set(agent, await bundleHash(rooms, read, room, agent));
  const watched = room.state === 'CLOSED' ? await watchedUntil(read, room.id) : undefined;
  const [looked] = await withOffers(database, [room]);
  const values = Object.values(layers.hashes);
  return {
    room,
    offered: looked?.offered ?? false,
    private: looked?.private ?? false,
    messages: messages.map((message) => ({
      ...message,
      text: cipher?.open(message.turn, message.sealedText) ?? null,
      read: wasRead(room, message),
    })),
    /** By agent; without those whose context is gone. */
    hashes,
    /** Those that are the same for all have a hash. */
    layers: ORDERED_STACK.map((name, at) => ({ name, hash: values[at] ?? null })),
    events: await store.latestEvents(read, room.id, MOST_EVENTS),
    watching: await countActiveViewers(read, room.id, clock.now()),
    purgeAfter: purgeAfter(room, settings, watched),
  };
}
