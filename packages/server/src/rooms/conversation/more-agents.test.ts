import { describe, expect, test } from 'vitest';
import type { ListingSearchAnswer } from '@parley/protocol/rooms/types';
import { describeEachServer } from '../../testing/each-server.ts';
import { pass } from '../testing/records.ts';
import { must, type RoomAgent } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';
import { pendingFor } from '../turn-wakes/deliveries.ts';

describeEachServer('rooms beyond two agents', (start) => {
  const { clock, server, client, records } = roomSuite(start);
  const agents = (count: number): Promise<RoomAgent[]> =>
    Promise.all(Array.from({ length: count }, () => client.agent()));

  describe('max_agents', () => {
    test('keeps the listing visible until every place is taken', async () => {
      const { a, listing, id } = await client.openRoom({ topic: 'round table', max_agents: 3 });
      expect(listing.max_agents).toBe(3);
      const visible = async (): Promise<number> =>
        must(
          200,
          await client.call<ListingSearchAnswer>('GET', '/v1/listings/search', {
            query: { q: 'round table' },
          }),
        ).items.length;
      const [b, c, d] = await agents(3);
      expect(await b?.connect(listing.id)).toMatchObject({ room_state: 'ACTIVE', agent_b_id: b?.id });
      expect(await visible()).toBe(1);
      expect((await b?.tryConnect(listing.id))?.status).toBe(409);
      expect(await c?.connect(listing.id)).toMatchObject({ agent_a_id: a.id, agent_b_id: b?.id });
      expect(await visible()).toBe(0);
      expect((await d?.tryConnect(listing.id))?.body.error).toBe('listing_already_connected');
      const state = await a.state(id);
      expect(state.turn_order).toEqual([a.id, b?.id, c?.id]);
      expect(state.participants.map(({ agent_id }) => agent_id)).toEqual(state.turn_order);
      expect(records.eventsOf(id)).toEqual([
        'room.created',
        'room.joined',
        'room.joined',
        'room.state_changed',
        'room.joined',
      ]);
    });

    test('rotates in join order', async () => {
      const { a, listing, id } = await client.openRoom({ max_agents: 3, max_turns: 7 });
      const [b, c] = await agents(2);
      if (!b || !c) throw new Error('two agents');
      for (const agent of [b, c]) await agent.connect(listing.id);
      for (const agent of [a, b, c, a, b, c, a]) {
        expect((await agent.state(id)).next_actor_id).toBe(agent.id);
        await agent.send(id, 'hello');
      }
      expect((await a.state(id)).state).toBe('CLOSED');
      for (const agent of [a, b, c])
        expect(records.deliveriesTo(agent, id).at(-1)?.data.type).toBe('room.closed');
    });

    test('does not take the turn from the one who has it when somebody joins', async () => {
      const { a, listing, id } = await client.openRoom({ max_agents: 3 });
      const [b, c] = await agents(2);
      if (!b || !c) throw new Error('two agents');
      await b.connect(listing.id);
      await a.send(id, 'first');
      const { bundle_hash: hash } = await b.context(id);
      await c.connect(listing.id);
      expect(await c.state(id)).toMatchObject({ next_actor_id: b.id });
      const body = { expected_turn: 1, ciphertext: 'second', bundle_hash: hash };
      expect((await b.post(id, body)).status).toBe(201);
      expect((await c.state(id)).next_actor_id).toBe(c.id);
    });

    test('fills exactly its places when many ask at once', async () => {
      const { a, listing, id } = await client.openRoom({ max_agents: 5 });
      const answers = await Promise.all((await agents(10)).map((agent) => agent.tryConnect(listing.id)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
      expect((await a.state(id)).participants).toHaveLength(5);
    });
  });

  describe('first_speaker', () => {
    test('peer: the second agent opens', async () => {
      const { a, listing, id } = await client.openRoom({ first_speaker: 'peer' });
      expect(listing).toMatchObject({ next_actor_id: '', first_speaker: 'peer' });
      const b = await client.agent();
      expect(await b.connect(listing.id)).toMatchObject({ next_actor_id: b.id, next_turn_a: a.id });
      expect(records.deliveriesTo(b, id).map(({ data }) => data.reason)).toEqual(['room_activated']);
      expect(records.deliveriesTo(a, id)).toEqual([]);
      expect((await a.trySend(id, 'too soon')).body.error).toBe('turn_mismatch');
      await b.send(id, 'hello');
      expect((await a.state(id)).next_actor_id).toBe(a.id);
    });

    test('any: whoever is first, and then the one after', async () => {
      const { a, listing, id } = await client.openRoom({ first_speaker: 'any' });
      const b = await client.agent();
      await b.connect(listing.id);
      for (const agent of [a, b]) {
        expect((await agent.state(id)).next_actor_id).toBe(agent.id);
        expect(records.deliveriesTo(agent, id).map(({ data }) => data.next_actor_id)).toEqual([agent.id]);
        expect((await agent.actionable()).actionable).toHaveLength(1);
      }
      // Both look before either speaks: with a fresh look, the one who lost would be the next to speak.
      const hashes = await Promise.all([a, b].map(async (agent) => (await agent.context(id)).bundle_hash));
      const [first, second] = await Promise.all([
        a.post(id, { expected_turn: 0, ciphertext: 'me', bundle_hash: hashes[0] }),
        b.post(id, { expected_turn: 0, ciphertext: 'me', bundle_hash: hashes[1] }),
      ]);
      expect([first.status, second.status].toSorted((x, y) => x - y)).toEqual([201, 409]);
      const spoke = first.status === 201 ? a : b;
      const next = spoke === a ? b : a;
      expect((await a.state(id)).next_actor_id).toBe(next.id);
      expect((await b.state(id)).next_actor_id).toBe(next.id);
      expect((await spoke.actionable()).actionable).toEqual([]);
    });
  });

  describe('turn_timeout_seconds', () => {
    test('closes a room of two whose speaker stays silent', async () => {
      const { a, b, id, listing } = await client.room({ turn_timeout_seconds: 30 });
      expect(listing.turn_timeout_seconds).toBe(30);
      await clock.advance(20_000);
      await a.send(id, 'in time');
      expect(await b.state(id)).toMatchObject({
        turn_started_at: new Date(clock.now()).toISOString().replace(/\.\d+Z/, 'Z'),
        turn_timeout_seconds: 30,
      });
      await clock.advance(30_000);
      expect((await b.state(id)).state).toBe('ACTIVE');
      await clock.advance(1);
      expect((await b.trySend(id, 'late')).body.error).toBe('gone');
      expect(records.events.findLast(({ roomId }) => roomId === id)?.data.reason).toBe('turn_timeout');
      expect(records.deliveriesTo(b, id).at(-1)?.data).toMatchObject({
        type: 'room.closed',
        reason: 'turn_timeout',
      });
    });

    test('does not run while the room waits for a second agent', async () => {
      const { a, id } = await client.openRoom({ turn_timeout_seconds: 5 });
      await clock.advance(60_000);
      expect(await a.state(id)).toMatchObject({ state: 'OPEN', turn_started_at: null });
    });

    test('passes the turn on in a larger room, and closes it when everyone stayed silent', async () => {
      const { a, listing, id } = await client.openRoom({ max_agents: 3, turn_timeout_seconds: 30 });
      const [b, c] = await agents(2);
      if (!b || !c) throw new Error('two agents');
      for (const agent of [b, c]) await agent.connect(listing.id);
      await pass({ clock, server }, 40_000);
      expect(await b.state(id)).toMatchObject({ state: 'ACTIVE', next_actor_id: b.id, turn_index: 0 });
      expect(records.deliveriesTo(b, id).map(({ data }) => [data.reason, data.next_turn])).toEqual([
        ['turn_skipped', 0],
      ]);
      expect(await pendingFor(server.context.rooms.service, a.suffix, 0, 9)).toEqual([]);
      expect((await a.trySend(id, 'too late')).body.error).toBe('turn_mismatch');
      await b.send(id, 'then I');
      for (const next of [a, b]) {
        await pass({ clock, server }, 40_000);
        expect((await a.state(id)).next_actor_id).toBe(next.id);
      }
      await pass({ clock, server }, 40_000);
      expect(await a.state(id)).toMatchObject({ state: 'CLOSED', turn_index: 1 });
    });
  });
});
