import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer } from '../../testing/start-server.ts';
import { RoomClient } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';

const iso = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z/, 'Z');

describeEachServer('typing', (start) => {
  const { clock, server, client, records } = roomSuite(start);

  test('starts and stops, with one frame each', async () => {
    const { a, id } = await client.room();
    const started = await a.typing(id, { state: 'start', ttl_ms: 5000 });
    expect(started.status).toBe(200);
    expect(started.body).toEqual({
      room_id: id,
      actor_id: a.id,
      state: 'start',
      ttl_ms: 5000,
      expires_at: iso(clock.now() + 5000),
    });
    await expect
      .poll(() => server.context.rooms.service.typing.current(id))
      .toEqual([
        {
          type: 'agent.typing',
          room_id: id,
          actor_id: a.id,
          state: 'start',
          ttl_ms: 5000,
          created_at: iso(clock.now()),
          expires_at: iso(clock.now() + 5000),
        },
      ]);
    const stop = { room_id: id, actor_id: a.id, state: 'stop' };
    expect((await a.typing(id, { state: 'typing.stop' })).body).toEqual({ ...stop, cleared: true });
    expect((await a.typing(id, { state: 'stop' })).body).toEqual({ ...stop, cleared: false });
    await expect.poll(() => records.typingIn(id)).toEqual(['start', 'stop']);
    expect(records.typing.at(-1)).toEqual({
      type: 'agent.typing',
      ...stop,
      created_at: iso(clock.now()),
      expires_at: iso(clock.now()),
    });
    await expect.poll(() => server.context.rooms.service.typing.current(id)).toEqual([]);
  });

  test.each([
    [undefined, 7000],
    [null, 7000],
    [1, 1000],
    [999_999, 30_000],
    [1e20, 30_000],
  ])('takes ttl_ms %s for %d', async (given, taken) => {
    const { a, id } = await client.room();
    expect((await a.typing(id, { state: 'typing.start', ttl_ms: given })).body.ttl_ms).toBe(taken);
  });

  test.each([{ type: 'typing.start' }, { op: 'start' }, { state: 'start', type: 5, op: 'leave' }])(
    'takes the word from where %j has it',
    async (body) => {
      const { a, id } = await client.room();
      expect((await a.typing(id, body)).body).toMatchObject({ state: 'start', ttl_ms: 7000 });
    },
  );

  test.each([
    {},
    { state: 'pause', type: 'typing.start' },
    { type: 'typing' },
    { state: 'pause' },
    { state: 'start', ttl_ms: 0 },
    { state: 'start', ttl_ms: 1.5 },
    { state: 1 },
  ])('refuses %j', async (body) => {
    const { a, id } = await client.room();
    expect((await a.typing(id, body)).body).toMatchObject({ error: 'invalid_request', status: 400 });
  });

  test('is for the one whose turn it is, in an ACTIVE room', async () => {
    const open = await client.openRoom();
    expect((await open.a.typing(open.id, { state: 'start' })).body.error).toBe('room_not_active');
    expect((await open.a.typing(open.id, { state: 'stop' })).status).toBe(200);
    const { a, b, id } = await client.room();
    const stranger = await client.agent();
    expect((await b.typing(id, { state: 'start' })).body.error).toBe('turn_mismatch');
    expect((await b.typing(id, { state: 'stop' })).status).toBe(200);
    expect((await stranger.typing(id, { state: 'stop' })).status).toBe(403);
    await a.close(id);
    expect((await a.typing(id, { state: 'start' })).status).toBe(410);
    expect((await a.typing(id, { state: 'stop' })).status).toBe(200);
    await clock.leap(86_400_000);
    expect((await a.typing(id, { state: 'stop' })).status).toBe(410);
  });

  test('ends by expiry, and is refreshed by another start', async () => {
    const { a, id } = await client.room();
    await a.typing(id, { state: 'start', ttl_ms: 5000 });
    await clock.advance(4000);
    await a.typing(id, { state: 'start', ttl_ms: 5000 });
    await expect.poll(() => records.typingIn(id)).toEqual(['start', 'start']);
    await clock.advance(4500);
    await expect.poll(() => records.typingIn(id)).toEqual(['start', 'start']);
    await clock.advance(1000);
    await expect.poll(() => records.typingIn(id)).toEqual(['start', 'start', 'stop']);
    expect((await a.typing(id, { state: 'stop' })).body.cleared).toBe(false);
  });

  test('ends with the message and with the room, saying so once', async () => {
    const { a, b, id } = await client.room();
    await a.typing(id, { state: 'start' });
    await a.send(id, 'here it is');
    await expect.poll(() => records.typingIn(id)).toEqual(['start', 'stop']);
    await b.typing(id, { state: 'start' });
    await a.close(id);
    await clock.advance(60_000);
    await expect.poll(() => records.typingIn(id)).toEqual(['start', 'stop', 'start', 'stop']);
  });

  test('goes on when a message is refused', async () => {
    const { a, id } = await client.room();
    await a.typing(id, { state: 'start' });
    await a.post(id, { expected_turn: 0, ciphertext: 'x', bundle_hash: 'stale' });
    await expect.poll(() => records.typingIn(id)).toEqual(['start']);
  });
});

describe('typing › limits', () => {
  test('count per agent and room', async () => {
    const server = await startServer({ clock: new FakeClock(), rlRoomTyping: 2 });
    try {
      const { a, id } = await new RoomClient(server).room();
      for (let i = 0; i < 2; i++) expect((await a.typing(id, { state: 'start' })).status).toBe(200);
      expect((await a.typing(id, { state: 'stop' })).body).toMatchObject({
        error: 'rate_limited',
        status: 429,
      });
    } finally {
      await server.close();
    }
  });
});
