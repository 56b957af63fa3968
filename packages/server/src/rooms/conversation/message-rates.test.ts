import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer } from '../../testing/start-server.ts';
import { RoomClient, talk } from '../testing/room-client.ts';

const started = async (options: object) => {
  const clock = new FakeClock();
  const server = await startServer({ clock, ...options });
  return { clock, server, client: new RoomClient(server) };
};

describe('messages › rates', () => {
  test('count accepted messages per agent and per room, not refused ones', async () => {
    const { clock, server, client } = await started({
      rlRoomMessagesPerAgent: 2,
      rlRoomMessagesPerRoom: 3,
      rlRoomMessageAttempts: 1000,
    });
    try {
      const room = await client.room();
      for (let i = 0; i < 10; i++)
        await room.a.post(room.id, { expected_turn: 0, ciphertext: 'x', bundle_hash: 'x' });
      await talk(room, 3);
      const byRoom = await room.b.trySend(room.id, 'one too many in this room');
      expect(byRoom.body).toMatchObject({ error: 'rate_limited', status: 429, retry_after_seconds: 60 });
      expect(byRoom.headers['retry-after']).toBe('60');

      const other = await room.a.list({ topic: 'elsewhere' });
      await room.b.connect(other.id);
      expect((await room.a.trySend(other.room_id, 'one too many by this agent')).status).toBe(429);
      await clock.advance(60_000);
      expect((await room.a.trySend(other.room_id, 'later')).status).toBe(201);
      expect((await room.b.trySend(room.id, 'later')).status).toBe(201);
    } finally {
      await server.close();
    }
  });

  test('count attempts per address before asking who calls', async () => {
    const { server, client } = await started({ rlRoomMessageAttempts: 3 });
    try {
      const { a, id } = await client.room();
      for (let i = 0; i < 3; i++) expect((await a.post(id, {}, { key: 'as_unknown' })).status).toBe(401);
      expect((await a.post(id, {}, { key: 'as_unknown' })).status).toBe(429);
      expect((await a.post(id, {}, { from: '127.0.0.9' })).status).toBe(400);
    } finally {
      await server.close();
    }
  });

  test('may leave out the own machine', async () => {
    const { server, client } = await started({ rlRoomMessageAttempts: 3, rlExemptLoopback: true });
    try {
      const { a, id } = await client.room();
      for (let i = 0; i < 6; i++) expect((await a.post(id, {})).status).toBe(400);
    } finally {
      await server.close();
    }
  });
});
