import { describe, expect, test } from 'vitest';
import { SecretBox } from '../../platform/auth/secret-box.ts';
import { sql } from '../../platform/database/sql.ts';
import { systemRandom } from '../../platform/ids.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer } from '../../testing/start-server.ts';
import { RecentMessages } from './recent-messages.ts';
import { findRoom } from '../room/room-store.ts';
import { RoomClient, talk } from '../testing/room-client.ts';

describe('recent messages', () => {
  test('are read from the store once per turn and forgotten with the room or when idle', async () => {
    const clock = new FakeClock();
    const server = await startServer({ clock, rateLimits: false });
    try {
      const room = await new RoomClient(server).room();
      await talk(room, 8);
      const { database, secrets, random } = server.context;
      const recent = new RecentMessages({ secrets, random, clock });
      const stored = await findRoom(database.read, room.id);
      if (!stored) throw new Error('the room is there');
      const turns = async () => (await recent.read(database.read, stored)).map(({ turn }) => turn);
      expect(await turns()).toEqual([2, 3, 4, 5, 6, 7]);

      await database.write((tx) => tx.run(sql`DELETE FROM room_messages WHERE room_id = ${room.id}`));
      expect(await turns()).toEqual([2, 3, 4, 5, 6, 7]);
      await clock.advance(59_999);
      recent.forgetIdle();
      expect(await turns()).toHaveLength(6);
      const keyless = { ...stored, sealedKey: null };
      expect(recent.cipher(keyless)).toBe(recent.cipher(stored));
      await clock.advance(60_000);
      recent.forgetIdle();
      expect(() => recent.cipher(keyless)).toThrow('purged');
      expect(await turns()).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test('never answer for another turn than they were remembered for', async () => {
    const clock = new FakeClock();
    const server = await startServer({ clock, rateLimits: false });
    try {
      const room = await new RoomClient(server).room();
      await talk(room, 2);
      const { database, secrets, random } = server.context;
      const recent = new RecentMessages({ secrets, random, clock });
      const earlier = await findRoom(database.read, room.id);
      await talk(room, 3);
      const later = await findRoom(database.read, room.id);
      if (!earlier || !later) throw new Error('the room is there');
      const texts = async (at: typeof later) =>
        (await recent.read(database.read, at)).map(({ text }) => text);
      expect(await texts(later)).toEqual(['message 0', 'message 1', 'message 2']);
      expect(await texts(earlier)).toEqual(['message 0', 'message 1']);
      recent.add(room.id, { turn: 5, sender: 'agt_x', text: 'not the next' });
      expect(await texts(earlier)).toEqual(['message 0', 'message 1']);
      recent.add(room.id, { turn: 2, sender: 'agt_x', text: 'the next' });
      expect(await texts(later)).toEqual(['message 0', 'message 1', 'the next']);
      recent.forget(room.id);
      expect(await texts(later)).toEqual(['message 0', 'message 1', 'message 2']);
    } finally {
      await server.close();
    }
  });

  test('need no store for a room in which nobody has spoken', async () => {
    const random = systemRandom;
    const secrets = new SecretBox(random.bytes(32), random);
    const clock = new FakeClock();
    const server = await startServer({ clock });
    try {
      const { id } = await new RoomClient(server).room();
      const room = await findRoom(server.context.database.read, id);
      if (!room) throw new Error('the room is there');
      expect(
        await new RecentMessages({ secrets, random, clock }).read(server.context.database.read, room),
      ).toEqual([]);
    } finally {
      await server.close();
    }
  });
});
