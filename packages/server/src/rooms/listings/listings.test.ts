import { beforeAll, describe, expect, test } from 'vitest';
import type { ListingSearchAnswer } from '@parley/protocol/rooms/types';
import { describeEachServer } from '../../testing/each-server.ts';
import { must, type RoomAgent } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';

const topicsOf = ({ items }: ListingSearchAnswer): string[] => items.map(({ topic }) => topic);

describeEachServer('listings', (start) => {
  const { clock, client } = roomSuite(start);
  let owner: RoomAgent;

  beforeAll(async () => {
    owner = await client.agent('harbour-bot');
  });
  const search = async (
    query: Record<string, string | number> = {},
    key?: string,
  ): Promise<ListingSearchAnswer> =>
    must(
      200,
      await client.call<ListingSearchAnswer>('GET', '/v1/listings/search', { query, ...(key && { key }) }),
    );

  describe('create', () => {
    test('answers with the listing, its room and the code for human readers', async () => {
      const { status, body } = await owner.tryList({
        topic: '  Plan a tide-table cache ',
        tags: ['tides', ' cache ', 'tides'],
        max_turns: 4,
        unknown: 'ignored',
      });
      expect(status).toBe(201);
      expect(Object.keys(body)).toEqual([
        'id',
        'agent_id',
        'topic',
        'tags',
        'max_turns',
        'ttl_seconds',
        'created_at',
        'connected',
        'room_id',
        'human_code',
        'owner_joined',
        'room_state',
        'next_actor_id',
      ]);
      expect(body).toMatchObject({
        agent_id: owner.id,
        topic: 'Plan a tide-table cache',
        tags: ['tides', 'cache'],
        max_turns: 4,
        ttl_seconds: 900,
        connected: false,
        owner_joined: true,
        room_state: 'OPEN',
        next_actor_id: owner.id,
      });
      expect(body.id).toMatch(/^lst_[\w-]{16}$/);
      expect(body.room_id).toMatch(/^room_[\w-]{16}$/);
      expect(body.human_code).toMatch(/^hc_[\w-]{24}$/);
      expect(body.created_at).toMatch(/^2026-06-01T\d\d:\d\d:\d\dZ$/);
      expect((await owner.history(body.room_id)).items.map(({ type }) => type)).toEqual([
        'room.created',
        'room.joined',
      ]);
    });

    test.each([undefined, null, 0, -0, -3, -1e20])(
      'takes %s for the default of turns and time',
      async (value) => {
        const made = await owner.list({ topic: 't', max_turns: value, ttl_seconds: value, tags: null });
        expect(made).toMatchObject({ max_turns: 20, ttl_seconds: 900, tags: [] });
      },
    );

    test('starts the clock at once, not when somebody connects', async () => {
      const made = await owner.list({ topic: 't', ttl_seconds: 60 });
      const state = await owner.state(made.room_id);
      expect(Date.parse(state.ttl_at) - Date.parse(state.created_at)).toBe(60_000);
    });

    test('takes every value at its bound', async () => {
      const most = { topic: '🌊'.repeat(280), max_turns: 1000, ttl_seconds: 604_800, max_agents: 8 };
      const tags = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(48, 'x'));
      expect((await owner.tryList({ ...most, tags })).status).toBe(201);
    });

    test.each<[string, object]>([
      ['topic', {}],
      ['topic', { topic: '  ' }],
      ['topic', { topic: 7 }],
      ['topic', { topic: 'x'.repeat(281) }],
      ['tags', { topic: 't', tags: 'tides' }],
      ['tags', { topic: 't', tags: [' '] }],
      ['tags', { topic: 't', tags: ['x'.repeat(49)] }],
      ['tags', { topic: 't', tags: Array.from({ length: 21 }, (_, i) => `${i}`) }],
      ['max_turns', { topic: 't', max_turns: 1001 }],
      ['max_turns', { topic: 't', max_turns: 1.5 }],
      ['max_turns', { topic: 't', max_turns: '4' }],
      ['ttl_seconds', { topic: 't', ttl_seconds: 604_801 }],
      ['max_agents', { topic: 't', max_agents: 9 }],
      ['max_agents', { topic: 't', max_agents: 1 }],
      ['turn_timeout_seconds', { topic: 't', turn_timeout_seconds: 604_801 }],
      ['first_speaker', { topic: 't', first_speaker: 'nobody' }],
      ['allow_agents', { topic: 't', allow_agents: ['somebody'] }],
    ])('refuses a wrong %s and names it: %j', async (field, listing) => {
      const { status, body } = await owner.tryList(listing);
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: 'invalid_request', status: 400, recoverable: false });
      expect(body.hint).toContain(field);
    });

    test.each([
      [-1e20, '>=2'],
      [1e20, '<=8'],
      [2.5, 'whole number'],
    ])('says which numbers of agents there may be instead of %s', async (value, rule) => {
      const { body } = await owner.tryList({ topic: 't', max_agents: value });
      expect(body.hint).toContain(rule);
    });

    test.each(['[]', '"text"', 'null', '{', '7'])('refuses the body %s', async (body) => {
      expect((await owner.tryList(body)).body).toMatchObject({ error: 'invalid_request' });
    });

    test('shows half a character at once the way everybody will read it', async () => {
      const a = await client.agent();
      const made = await a.list({ topic: 'tide \ud83c', tags: ['x\udf0a', 'x\ufffd', '🌊'] });
      expect(made).toMatchObject({ topic: 'tide \ufffd', tags: ['x\ufffd', '🌊'] });
      const { items } = await search();
      expect(items.find(({ id }) => id === made.id)).toMatchObject({ topic: made.topic, tags: made.tags });
    });

    test('needs a session or an API key', async () => {
      const refused = await client.call('POST', '/v1/listings', { body: { topic: 't' } });
      expect(refused.status).toBe(401);
      expect(refused.body).toEqual({
        error: 'unauthorized',
        status: 401,
        recoverable: true,
        hint: 'Log in again and repeat the call with the new token.',
      });
      const withKey = await owner.call('POST', '/v1/listings', { key: owner.apiKey, body: { topic: 't' } });
      expect(withKey.status).toBe(201);
    });

    test('lets an owner-wide key act as the agent `self`', async () => {
      const { key } = await client.people.owner();
      const made = await client.call<{ agent_id: string }>('POST', '/v1/listings', {
        key,
        body: { topic: 't' },
      });
      const { body } = await client.people.whoami(await client.people.login(key));
      expect(made.status).toBe(201);
      expect(body.agent?.id).toBe(made.body.agent_id.replace('agt_', 'agent_'));
      expect(body.agent?.slug).toBe('self');
    });
  });

  describe('search', () => {
    test('finds by topic and by tag, whatever the case, newest first, with exactly these keys', async () => {
      await owner.list({ topic: 'Quay MASTER needed' });
      await owner.list({ topic: 'Something else', tags: ['quay masters'] });
      const found = await search({ q: '  quay Master ' });
      expect(topicsOf(found)).toEqual(['Something else', 'Quay MASTER needed']);
      expect(Object.keys(found)).toEqual(['items']);
      expect(Object.keys(found.items[0] ?? {})).toEqual([
        'id',
        'agent_id',
        'topic',
        'tags',
        'max_turns',
        'ttl_seconds',
        'connected',
        'created_at',
      ]);
    });

    test('takes %, _ and \\ for themselves', async () => {
      await owner.list({ topic: 'literal 100% sure' });
      await owner.list({ topic: 'literal snake_case' });
      await owner.list({ topic: 'literal back\\slash' });
      expect(topicsOf(await search({ q: '100%' }))).toEqual(['literal 100% sure']);
      expect(topicsOf(await search({ q: 'e_c' }))).toEqual(['literal snake_case']);
      expect(topicsOf(await search({ q: 'literal%' }))).toEqual([]);
      expect(topicsOf(await search({ q: 'literal_snake' }))).toEqual([]);
      expect(topicsOf(await search({ q: 'back\\s' }))).toEqual(['literal back\\slash']);
    });

    test('never matches across topic and tags', async () => {
      await owner.list({ topic: 'left', tags: ['right'] });
      expect((await search({ q: 'leftright' })).items).toEqual([]);
      for (const q of ['left\nright', 'left\u001fright']) expect((await search({ q })).items).toEqual([]);
    });

    test('hides what is connected, closed or over its time', async () => {
      const [connected, closed, expired, open] = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) =>
          owner.list({ topic: `visibility ${name}`, ttl_seconds: name === 'c' ? 5 : 600 }),
        ),
      );
      const peer = await client.agent();
      await peer.connect(connected?.id ?? '');
      await owner.close(closed?.room_id ?? '');
      expect((await search({ q: 'visibility' })).items.map(({ id }) => id).toSorted()).toEqual(
        [expired?.id, open?.id].toSorted(),
      );
      await clock.advance(5001);
      expect((await search({ q: 'visibility' })).items.map(({ id }) => id)).toEqual([open?.id]);
    });

    test('hides the listings of an agent that was deleted, and lets nobody take them up', async () => {
      const gone = await client.agent();
      const [open, taken, half] = [
        await gone.list({ topic: 'deleted open' }),
        await gone.list({ topic: 'deleted taken' }),
        await gone.list({ topic: 'deleted half', max_agents: 3 }),
      ];
      const peer = await client.agent();
      await peer.connect(taken.id);
      await peer.connect(half.id);
      expect(topicsOf(await search({ q: 'deleted' }))).toEqual(['deleted half', 'deleted open']);
      expect((await gone.call('DELETE', `/v1/agents/${gone.id}`)).status).toBe(204);
      expect(topicsOf(await search({ q: 'deleted' }))).toEqual([]);
      expect((await peer.tryConnect(open.id)).body).toMatchObject({ error: 'gone', status: 410 });
      expect((await client.transcript(open.room_id, open.human_code)).body.state).toBe('CLOSED');
      expect((await peer.state(taken.room_id)).state).toBe('ACTIVE');
    });

    test('pages with limit and before', async () => {
      for (let i = 0; i < 5; i++) await owner.list({ topic: `paged ${i}` });
      const first = await search({ q: 'paged', limit: 2 });
      expect(topicsOf(first)).toEqual(['paged 4', 'paged 3']);
      const second = await search({ q: 'paged', limit: 2, before: first.next_before ?? '' });
      expect(topicsOf(second)).toEqual(['paged 2', 'paged 1']);
      const third = await search({ q: 'paged', limit: 2, before: second.next_before ?? '' });
      expect(topicsOf(third)).toEqual(['paged 0']);
      expect(third).not.toHaveProperty('next_before');
    });

    test('refuses a limit or a position that is none', async () => {
      const wrong: Record<string, string>[] = [
        { limit: '0' },
        { limit: 'x' },
        { limit: '-1' },
        { before: 'lst_x' },
      ];
      for (const query of wrong) {
        const { status, body } = await client.call('GET', '/v1/listings/search', { query });
        expect([status, body.error]).toEqual([400, 'invalid_request']);
      }
    });
  });

  describe('connect', () => {
    test('makes the room ACTIVE and tells who is in it', async () => {
      const listing = await owner.list({ topic: 't' });
      const peer = await client.agent();
      const { status, body } = await peer.tryConnect(listing.id);
      expect(status).toBe(201);
      expect(body).toEqual({
        room_id: listing.room_id,
        human_code: '',
        agent_a_id: owner.id,
        agent_b_id: peer.id,
        room_state: 'ACTIVE',
        listing_id: listing.id,
        next_turn_a: owner.id,
        next_actor_id: owner.id,
      });
      const { items } = await peer.history(listing.room_id);
      expect(items.slice(2)).toMatchObject([
        { type: 'room.joined', sender_id: peer.id, room_state: 'ACTIVE' },
        { type: 'room.state_changed', sender_id: peer.id, room_state: 'ACTIVE', reason: 'room_activated' },
      ]);
    });

    test('refuses an unknown listing, the own one, and one that is taken', async () => {
      const listing = await owner.list({ topic: 't' });
      const [first, second] = [await client.agent(), await client.agent()];
      expect((await first.tryConnect('lst_unknown')).body).toMatchObject({
        error: 'listing_not_found',
        status: 404,
      });
      expect((await owner.tryConnect(listing.id)).body).toMatchObject({ error: 'forbidden', status: 403 });
      await first.connect(listing.id);
      for (const agent of [first, second]) {
        expect((await agent.tryConnect(listing.id)).body).toMatchObject({
          error: 'listing_already_connected',
          status: 409,
          recoverable: false,
        });
      }
    });

    test('refuses a listing whose room is closed or over its time, and does not revive it', async () => {
      const peer = await client.agent();
      const closed = await owner.list({ topic: 't' });
      await owner.close(closed.room_id);
      const expired = await owner.list({ topic: 't', ttl_seconds: 3 });
      await clock.advance(3001);
      for (const listing of [closed, expired]) {
        expect((await peer.tryConnect(listing.id)).body).toMatchObject({ error: 'gone', status: 410 });
        expect((await owner.state(listing.room_id)).state).toBe('CLOSED');
      }
    });

    test('gives the place to one of twenty who ask at once', async () => {
      const listing = await owner.list({ topic: 't' });
      const agents = await Promise.all(Array.from({ length: 20 }, () => client.agent()));
      const answers = await Promise.all(agents.map((agent) => agent.tryConnect(listing.id)));
      const codes = answers.map(({ status }) => status);
      expect(codes.filter((code) => code === 201)).toHaveLength(1);
      expect(codes.filter((code) => code === 409)).toHaveLength(19);
      const winner = agents[codes.indexOf(201)];
      expect((await owner.state(listing.room_id)).agent_b_id).toBe(winner?.id);
    });
  });
});
