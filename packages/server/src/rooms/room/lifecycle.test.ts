import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer } from '../../testing/start-server.ts';
import { pass, Records } from '../testing/records.ts';
import { RoomClient, talk } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';

const DAY = 86_400_000;

describeEachServer('rooms › close', (start) => {
  const { clock, client, records } = roomSuite(start);

  test('is done by either participant, once', async () => {
    const { a, b, id } = await client.room();
    const before = (await a.history(id)).items.length;
    expect((await b.close(id)).body).toEqual({ room_id: id, state: 'CLOSED' });
    expect((await a.close(id)).body).toEqual({ room_id: id, state: 'CLOSED' });
    expect((await b.close(id)).status).toBe(200);
    const { items } = await a.history(id);
    expect(items.slice(before)).toMatchObject([
      { type: 'room.state_changed', sender_id: b.id, room_state: 'CLOSED', reason: 'manual_close' },
      { type: 'room.closed', sender_id: b.id, room_state: 'CLOSED', reason: 'manual_close' },
    ]);
    expect(items).toHaveLength(before + 2);
    for (const agent of [a, b]) {
      expect(records.deliveriesTo(agent, id).filter(({ data }) => data.type === 'room.closed')).toHaveLength(
        1,
      );
    }
  });

  test('emits one pair of events when many close at once', async () => {
    const { a, b, id } = await client.room();
    await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 ? a : b).close(id)));
    expect(records.eventsOf(id).filter((type) => type === 'room.closed')).toHaveLength(1);
  });

  test('ends an OPEN room too, and tells only the owner', async () => {
    const { a, id } = await client.openRoom();
    expect((await a.close(id)).status).toBe(200);
    expect(records.deliveries.filter(({ roomId }) => roomId === id).map(({ agent }) => agent)).toEqual([
      a.suffix,
    ]);
  });

  test('is not for strangers', async () => {
    const { id } = await client.room();
    const stranger = await client.agent();
    expect((await stranger.close(id)).body).toMatchObject({ error: 'forbidden', status: 403 });
    expect((await stranger.close('room_unknown')).body).toMatchObject({ error: 'room_not_found' });
    expect((await stranger.tryState(id)).status).toBe(403);
  });

  test('shows in the state, which a participant may always read', async () => {
    const { a, b, id } = await client.room({ max_turns: 4 });
    expect(await a.state(id)).toEqual({
      id,
      agent_a_id: a.id,
      agent_b_id: b.id,
      state: 'ACTIVE',
      turn_index: 0,
      next_turn: 0,
      next_actor_id: a.id,
      max_turns: 4,
      ttl_at: isoAt(900_000),
      created_at: isoAt(0),
      closed_at: null,
      purged_at: null,
      active_viewers: 0,
      participants: [
        { agent_id: a.id, joined_at: isoAt(0) },
        { agent_id: b.id, joined_at: isoAt(0) },
      ],
      turn_order: [a.id, b.id],
      max_agents: 2,
      turn_started_at: isoAt(0),
      turn_timeout_seconds: null,
      first_speaker: 'owner',
      purge_after: null,
    });
    await a.close(id);
    expect(await b.state(id)).toMatchObject({
      state: 'CLOSED',
      next_actor_id: '',
      closed_at: isoAt(0),
      purge_after: isoAt(DAY),
    });
    await clock.leap(DAY);
    expect(await b.state(id)).toMatchObject({ state: 'PURGED', purged_at: isoAt(0), purge_after: null });
    expect((await b.close(id)).body).toMatchObject({ error: 'gone', status: 410 });
  });

  const isoAt = (ms: number): string => new Date(clock.now() + ms).toISOString().replace(/\.\d+Z/, 'Z');
});

describeEachServer('rooms › time', (start) => {
  const { clock, server, client, records } = roomSuite(start);

  test('closes a room once the clock has passed ttl_at, and not before', async () => {
    const { a, b, id } = await client.room({ ttl_seconds: 60 });
    await clock.advance(60_000);
    expect((await a.state(id)).state).toBe('ACTIVE');
    await clock.advance(1);
    expect((await a.post(id, { expected_turn: 0, ciphertext: 'x', bundle_hash: 'x' })).body.error).toBe(
      'gone',
    );
    expect((await b.state(id)).state).toBe('CLOSED');
    const { items } = await b.history(id);
    expect(items.slice(-2)).toMatchObject([
      { type: 'room.state_changed', room_state: 'CLOSED', reason: 'ttl_expired' },
      { type: 'room.closed', room_state: 'CLOSED', reason: 'ttl_expired' },
    ]);
    expect(items.at(-1)).not.toHaveProperty('sender_id');
  });

  test('tells of it within ten seconds although nobody asks', async () => {
    const room = await client.room({ ttl_seconds: 30 });
    const open = await client.openRoom({ ttl_seconds: 30 });
    await pass({ clock, server }, 40_000);
    await expect.poll(() => records.eventsOf(room.id)).toContain('room.closed');
    await expect.poll(() => records.eventsOf(open.id)).toContain('room.closed');
    const [turn, closed] = records.deliveriesTo(room.a, room.id);
    expect(turn?.data.type).toBe('room.turn_ready');
    expect(closed?.data).toMatchObject({ type: 'room.closed', reason: 'ttl_expired' });
    expect(records.deliveriesTo(room.b, room.id).map(({ data }) => data.type)).toEqual(['room.closed']);
  });

  test('commits what the clock owed even though the request is then refused', async () => {
    const room = await client.room({ ttl_seconds: 30 });
    const { token } = await room.a.token(room.id);
    await clock.advance(30_001);
    const body = { expected_turn: 0, ciphertext: 'x', bundle_hash: 'x' };
    expect((await room.a.post(room.id, body, { key: token })).status).toBe(410);
    expect((await room.a.tryState(room.id, token)).status).toBe(401);
    expect(records.eventsOf(room.id).filter((type) => type === 'room.closed')).toHaveLength(1);
  });
});

describe('rooms › metrics', () => {
  test('count without naming anyone', async () => {
    const clock = new FakeClock();
    const server = await startServer({ clock });
    try {
      const client = new RoomClient(server);
      const records = new Records(server);
      const room = await client.room({ max_turns: 2 });
      const [turn] = records.deliveriesTo(room.a);
      await clock.advance(2000);
      await room.a.acknowledge(turn?.id);
      await talk(room, 2);
      const { text } = await client.people.client.get('/metrics');
      for (const line of [
        'parley_room_messages_total 2',
        'parley_rooms_closed_total{reason="max_turns_reached"} 1',
        'parley_room_deliveries_total{type="room.turn_ready"} 2',
        'parley_room_deliveries_total{type="room.closed"} 2',
        'parley_room_deliveries_superseded_total 1',
        'parley_room_delivery_ack_seconds_sum 2',
      ]) {
        expect(text).toContain(line);
      }
      expect(text).not.toContain(room.id);
      expect(text).not.toContain(room.a.suffix);
    } finally {
      await server.close();
    }
  });
});
