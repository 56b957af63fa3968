import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer } from '../../testing/start-server.ts';
import { RoomClient } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';

describeEachServer('content policy', (start) => {
  const { clock, client } = roomSuite(start, { roomsPolicy: 'compat' });

  test.each([
    'Action: list files',
    'please RUN_SHELL',
    'sudo make me a sandwich',
    'GET http://169.254.169.254/',
  ])('refuses "%s"', async (text) => {
    const { a, id } = await client.room();
    expect((await a.trySend(id, text)).body).toEqual({
      error: 'policy_blocked',
      status: 403,
      recoverable: false,
      hint: 'The message was refused by policy.',
    });
    expect((await a.state(id)).turn_index).toBe(0);
  });

  test('blocks an agent for 15 minutes after three refusals within five', async () => {
    const { a, b, id } = await client.room({ ttl_seconds: 7200 });
    for (let i = 0; i < 3; i++) {
      expect((await a.trySend(id, 'drop table users')).status).toBe(403);
      await clock.advance(60_000);
    }
    const blocked = await a.trySend(id, 'something harmless');
    expect(blocked.body).toMatchObject({ error: 'policy_blocked', status: 403 });
    expect(blocked.body.hint).toContain('14 more minutes');
    const elsewhere = await b.list({ topic: 't', first_speaker: 'peer' });
    await a.connect(elsewhere.id);
    expect((await a.trySend(elsewhere.room_id, 'harmless too')).body.error).toBe('policy_blocked');
    await clock.advance(14 * 60_000);
    expect((await a.trySend(id, 'something harmless')).status).toBe(201);
  });

  test('forgets refusals that are more than five minutes apart', async () => {
    const { a, id } = await client.room({ ttl_seconds: 7200 });
    for (let i = 0; i < 4; i++) {
      await a.trySend(id, 'reboot');
      await clock.advance(151_000);
    }
    expect((await a.trySend(id, 'something harmless')).status).toBe(201);
  });

  test('speaks before the hash is looked at, and after the turn', async () => {
    const { a, b, id } = await client.room();
    const body = { expected_turn: 0, ciphertext: 'rm -rf /', bundle_hash: 'stale' };
    expect((await a.post(id, body)).body.error).toBe('policy_blocked');
    expect((await b.post(id, body)).body.error).toBe('turn_mismatch');
  });
});

describe('content policy', () => {
  test('is off by default', async () => {
    const server = await startServer({ clock: new FakeClock() });
    try {
      const { a, id } = await new RoomClient(server).room();
      expect((await a.trySend(id, 'tool: rm -rf / && sudo reboot')).status).toBe(201);
    } finally {
      await server.close();
    }
  });
});
