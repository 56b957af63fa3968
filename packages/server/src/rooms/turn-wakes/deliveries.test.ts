import { describe, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { type RoomAgent, talk } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';
import { pendingFor } from './deliveries.ts';
import { findDelivery } from './delivery-store.ts';

describeEachServer('deliveries', (start) => {
  const { clock, server, client, records } = roomSuite(start);
  const pending = async ({ suffix }: RoomAgent) =>
    await pendingFor(server.context.rooms.service, suffix, 0, 100);
  const types = async (agent: RoomAgent) => (await pending(agent)).map(({ data }) => data.type);

  test('wake the owner when somebody connects, with exactly this frame', async () => {
    const { a, b, id } = await client.room();
    const [delivery, ...others] = await pending(a);
    expect(others).toEqual([]);
    expect(await pending(b)).toEqual([]);
    const now = new Date(clock.now()).toISOString();
    expect(JSON.stringify(delivery?.data)).toBe(
      JSON.stringify({
        type: 'room.turn_ready',
        room_id: id,
        target_agent_id: a.id,
        room_state: 'ACTIVE',
        next_turn: 0,
        next_actor_id: a.id,
        reason: 'room_activated',
        occurred_at: now,
        delivery_id: delivery?.id,
        agent_id: a.id,
        created_at: now,
        expires_at: new Date(clock.now() + 1_800_000).toISOString(),
      }),
    );
    expect(delivery?.id).toMatch(/^dly_[\w-]{16}$/);
    expect(records.deliveriesTo(a)).toEqual([delivery]);
  });

  test('wake the other agent after each message, never more than one of them', async () => {
    const room = await client.room({ max_turns: 6 });
    await talk(room, 1);
    expect(await types(room.a)).toEqual([]);
    expect((await pending(room.b)).map(({ data }) => [data.reason, data.next_turn])).toEqual([
      ['peer_message', 1],
    ]);
    await talk(room, 4);
    expect((await pending(room.a)).map(({ data }) => data.next_turn)).toEqual([4]);
    expect(await pending(room.b)).toEqual([]);
  });

  test('name the last before them that still waits, so that a stream that missed it looks again', async () => {
    const room = await client.room({ max_turns: 8 });
    await talk(room, 2);
    const [turn] = await pending(room.a);
    expect(turn).toMatchObject({ prev: 0, data: { next_turn: 2 } });
    const other = await room.a.list({ topic: 'Another' });
    await room.b.connect(other.id);
    const waiting = await pending(room.a);
    expect(waiting.map(({ data, prev }) => [data.room_id, prev])).toEqual([
      [room.id, 0],
      [other.room_id, turn?.seq],
    ]);
  });

  test('are superseded when the room leaves ACTIVE, and still ackable', async () => {
    const { a, b, id } = await client.room();
    const [turn] = await pending(a);
    await b.close(id);
    expect((await pending(a)).map(({ data }) => data)).toMatchObject([
      { type: 'room.closed', room_state: 'CLOSED', reason: 'manual_close', closed_at: expect.any(String) },
    ]);
    expect((await a.acknowledge(turn?.id)).body).toEqual({ delivery_id: turn?.id, status: 'acked' });
  });

  test('name their predecessor and grow, so that nothing is passed over', async () => {
    const owner = await client.agent();
    const peers = await Promise.all(Array.from({ length: 6 }, () => client.agent()));
    const listings = await Promise.all(peers.map(() => owner.list({ topic: 't' })));
    await Promise.all(peers.map((peer, i) => peer.connect(listings[i]?.id ?? '')));
    const all = await pending(owner);
    expect(all).toHaveLength(6);
    for (const [i, { seq, prev }] of all.entries()) {
      expect(prev).toBe(all[i - 1]?.seq ?? 0);
      expect(seq).toBeGreaterThan(prev);
    }
    const announced = records.deliveriesTo(owner).map(({ seq }) => seq);
    expect(announced.toSorted((one, two) => one - two)).toEqual(all.map(({ seq }) => seq));
  });

  test('make two rooms of the same agents close at once without a deadlock', async () => {
    const [one, two] = [await client.agent(), await client.agent()];
    const made = await Promise.all([one, two, one, two].map((agent) => agent.list({ topic: 't' })));
    for (const [i, listing] of made.entries()) await (i % 2 === 0 ? two : one).connect(listing.id);
    const closed = await Promise.all(made.map(({ room_id: id }, i) => (i < 2 ? one : two).close(id)));
    expect(closed.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await types(one)).toEqual(Array.from({ length: 4 }, () => 'room.closed'));
  });

  describe('ack', () => {
    test('ends them for good, once and again', async () => {
      const { a } = await client.room();
      const [turn] = await pending(a);
      for (let i = 0; i < 2; i++) {
        expect((await a.acknowledge(` ${turn?.id} `)).body).toEqual({
          delivery_id: turn?.id,
          status: 'acked',
        });
      }
      expect(await pending(a)).toEqual([]);
      const state = await findDelivery(server.context.database.read, a.suffix, turn?.id ?? '');
      expect(state).toMatchObject({ status: 'acked', seq: turn?.seq });
    });

    test('refuses an empty, an unknown and a foreign id', async () => {
      const { a, b } = await client.room();
      const [turn] = await pending(a);
      for (const id of ['', '  ', undefined, 7]) {
        expect((await a.acknowledge(id)).body).toMatchObject({ error: 'invalid_request', status: 400 });
      }
      expect((await a.acknowledge('dly_unknown')).body).toMatchObject({ error: 'not_found', status: 404 });
      expect((await b.acknowledge(turn?.id)).body).toMatchObject({ error: 'not_found', status: 404 });
      expect(await types(a)).toEqual(['room.turn_ready']);
    });

    test('is fine for an expired one', async () => {
      const { a } = await client.room({ ttl_seconds: 7200 });
      const [turn] = await pending(a);
      await clock.advance(1_800_000);
      expect(await pending(a)).toEqual([]);
      expect((await a.acknowledge(turn?.id)).status).toBe(200);
    });
  });

  test('are forgotten a day after they expired', async () => {
    await client.room({ ttl_seconds: 604_800 });
    await clock.leap(86_400_000 + 1_800_001);
    await server.context.rooms.lifecycle.sweep();
    const { read } = server.context.database;
    const old = await read.all(sql`
      SELECT id FROM room_deliveries WHERE expires_at < ${clock.now() - 86_400_000}`);
    expect(old).toEqual([]);
  });

  describe('actionable rooms', () => {
    test('list what waits, each with a fresh token, and what ended lately', async () => {
      const agent = await client.agent();
      const waiting = await client.openRoom();
      const spoken = await client.room();
      const mine = await agent.list({ topic: 'mine' });
      const peer = await client.agent();
      await peer.connect(mine.id);
      await agent.connect(waiting.listing.id);
      const over = await agent.list({ topic: 'over' });
      await agent.close(over.room_id);
      const old = await agent.token(mine.room_id);

      const listed = await agent.actionable();
      expect(listed).toEqual({
        actionable: [
          {
            room_id: mine.room_id,
            room_state: 'ACTIVE',
            next_turn: 0,
            next_actor_id: agent.id,
            token: listed.actionable[0]?.token,
            expires_at: new Date(clock.now() + 300_000).toISOString().replace(/\.\d+Z/, 'Z'),
          },
        ],
        terminal: [
          {
            room_id: over.room_id,
            room_state: 'CLOSED',
            closed_at: new Date(clock.now()).toISOString().replace(/\.\d+Z/, 'Z'),
          },
        ],
      });
      expect((await agent.tryState(mine.room_id, old.token)).status).toBe(401);
      expect((await agent.tryState(mine.room_id, listed.actionable[0]?.token)).status).toBe(200);
      expect(await spoken.b.actionable()).toEqual({ actionable: [], terminal: [] });
    });

    test('move a room whose time has just passed to the ended ones, and forget it after half an hour', async () => {
      const { a, id } = await client.room({ ttl_seconds: 60 });
      await clock.advance(60_001);
      const listed = await a.actionable();
      expect(listed.actionable).toEqual([]);
      expect(listed.terminal.map(({ room_id: room }) => room)).toEqual([id]);
      await clock.advance(1_800_000);
      expect((await a.actionable()).terminal).toHaveLength(1);
      await clock.advance(1);
      expect((await a.actionable()).terminal).toEqual([]);
    });

    test('list a room again when it is purged, newest first', async () => {
      const { a, id, code } = await client.room();
      await a.close(id);
      await clock.leap(3_600_000);
      await client.transcript(id, code);
      await clock.advance(900_000);
      const later = await a.list({ topic: 't' });
      await a.state(id);
      await clock.advance(1000);
      await a.close(later.room_id);
      const { terminal } = await a.actionable();
      expect(terminal).toMatchObject([
        { room_id: later.room_id, room_state: 'CLOSED' },
        { room_id: id, room_state: 'PURGED', purged_at: expect.any(String) },
      ]);
      expect(terminal[0]).not.toHaveProperty('purged_at');
    });

    test('acknowledge nothing', async () => {
      const { a } = await client.room();
      await a.actionable();
      expect(await types(a)).toEqual(['room.turn_ready']);
    });
  });
});
