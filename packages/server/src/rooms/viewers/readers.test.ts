import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer } from '../../testing/start-server.ts';
import { must, RoomClient, talk } from '../testing/room-client.ts';
import { roomSuite } from '../testing/room-scene.ts';

const DAY = 86_400_000;

describeEachServer('readers', (start) => {
  const { clock, client } = roomSuite(start, { roomsRetentionSeconds: 3 * 86_400 });

  const join = async (id: string, code: string) =>
    must(201, await client.viewers(id, { op: 'join', human_code: code, viewer_token: '' }));

  describe('transcript', () => {
    test('holds everything that was said, in turn order, under these keys', async () => {
      const owner = await client.agent('harbour-bot');
      const listing = await owner.list({ topic: 'Plan a tide-table cache', max_turns: 4 });
      const b = await client.agent('tide-bot');
      await b.connect(listing.id);
      const room = { a: owner, b, id: listing.room_id, listing, code: listing.human_code };
      await talk(room, 4);
      await b.ack(room.id, 3);
      const { status, body } = await client.transcript(room.id, ` ${room.code} `);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual([
        'room_id',
        'state',
        'messages',
        'closed_at',
        'purged_at',
        'room_topic',
        'agent_a_id',
        'agent_b_id',
        'turn_index',
        'next_actor_id',
        'last_context_fetch_turn_by_agent',
      ]);
      expect(body).toMatchObject({
        room_id: room.id,
        state: 'CLOSED',
        purged_at: null,
        room_topic: 'Plan a tide-table cache',
        agent_a_id: owner.id,
        agent_b_id: b.id,
        turn_index: 4,
        next_actor_id: '',
        last_context_fetch_turn_by_agent: { [b.id]: 3 },
      });
      expect(Object.keys(body.messages[0] ?? {})).toEqual([
        'id',
        'sender_id',
        'sender_name',
        'turn',
        'ciphertext',
        'created_at',
        'read_by_opponent',
      ]);
      const shown = body.messages.map(
        ({ turn, sender_id, sender_name, ciphertext, read_by_opponent }) =>
          [turn, sender_id, sender_name, ciphertext, read_by_opponent] as const,
      );
      expect(shown).toEqual([
        [0, owner.id, 'harbour-bot', 'message 0', true],
        [1, b.id, 'tide-bot', 'message 1', false],
        [2, owner.id, 'harbour-bot', 'message 2', true],
        [3, b.id, 'tide-bot', 'message 3', false],
      ]);
    });

    test('comes with the room itself when asked, so that a page can show and follow it', async () => {
      const owner = await client.agent('harbour-bot');
      const listing = await owner.list({ topic: 'tides', max_turns: 2, ttl_seconds: 600, max_agents: 3 });
      const b = await client.agent('tide-bot');
      await b.connect(listing.id);
      const room = { a: owner, b, id: listing.room_id, listing, code: listing.human_code };
      const ask = async (include: unknown) =>
        client.transcript(room.id, room.code, { body: { human_code: room.code, include } });
      const { body } = await ask(['room']);
      expect(body.room).toEqual({
        created_at: listing.created_at,
        ttl_at: new Date(Date.parse(listing.created_at) + 600_000).toISOString().replace('.000', ''),
        max_turns: 2,
        max_agents: 3,
        participants: [
          { agent_id: owner.id, name: 'harbour-bot', joined_at: listing.created_at },
          { agent_id: b.id, name: 'tide-bot', joined_at: listing.created_at },
        ],
        close_reason: null,
        purge_by: null,
        purge_grace_seconds: 900,
        kept: false,
        last_event_id: (await owner.history(room.id)).next_since,
      });
      await talk(room, 2);
      const after = (await ask(['room'])).body;
      expect(after.room).toMatchObject({ close_reason: 'max_turns_reached' });
      expect(Date.parse(after.room?.purge_by ?? '') - Date.parse(after.closed_at ?? '')).toBe(3 * DAY);
      expect((await ask(['more'])).body).toMatchObject({ error: 'invalid_request' });
      expect(Object.keys((await ask([])).body)).not.toContain('room');
    });

    test('is open in every state but PURGED', async () => {
      const { a, id, code, listing } = await client.openRoom();
      expect((await client.transcript(id, code)).body).toMatchObject({
        state: 'OPEN',
        agent_b_id: '',
        messages: [],
      });
      await (await client.agent()).connect(listing.id);
      expect((await client.transcript(id, code)).body.state).toBe('ACTIVE');
      await a.close(id);
      expect((await client.transcript(id, code)).body.state).toBe('CLOSED');
      await clock.advance(900_000);
      expect((await client.transcript(id, code)).body).toMatchObject({ error: 'gone', status: 410 });
      expect((await client.transcript(id, 'hc_wrong')).status).toBe(403);
    });

    test('refuses a missing, wrong or foreign code, an unknown room and a code in the query', async () => {
      const [one, two] = [await client.room(), await client.room()];
      for (const code of [undefined, null, '', 'hc_wrong', two.code, `${one.code}x`]) {
        expect((await client.transcript(one.id, code)).body).toMatchObject({
          error: 'forbidden',
          status: 403,
        });
      }
      expect((await client.transcript(one.id, 7)).status).toBe(400);
      expect((await client.transcript('room_unknown', one.code)).body.error).toBe('room_not_found');
      const inQuery = await client.transcript(one.id, one.code, { query: { human_code: one.code } });
      expect(inQuery.body).toMatchObject({ error: 'invalid_request', status: 400 });
      expect((await client.call('POST', `/v1/rooms/${one.id}/transcript`)).status).toBe(403);
    });

    test('opens with the code for a day, whatever became of the room', async () => {
      const { a, id, code } = await client.room({ ttl_seconds: 604_800 });
      await clock.leap(DAY - 1);
      expect((await client.transcript(id, code)).status).toBe(200);
      await clock.advance(1);
      expect((await client.transcript(id, code)).status).toBe(403);
      expect((await a.state(id)).state).toBe('ACTIVE');
    });
  });

  describe('human code', () => {
    test('can be replaced by the owner; the old one is dead at once', async () => {
      const { a, b, id, code } = await client.room();
      const path = `/v1/rooms/${id}/human-code`;
      expect((await b.call('POST', path)).status).toBe(403);
      expect((await (await client.agent()).call('POST', path)).status).toBe(403);
      const fresh = must(201, await a.call<{ human_code: string; expires_at: string }>('POST', path));
      expect(fresh).toMatchObject({ room_id: id });
      expect(fresh.human_code).toMatch(/^hc_[\w-]{24}$/);
      expect(Date.parse(fresh.expires_at)).toBe(Math.floor((clock.now() + DAY) / 1000) * 1000);
      expect((await client.transcript(id, code)).status).toBe(403);
      expect((await client.transcript(id, fresh.human_code)).status).toBe(200);
    });

    test('takes the viewers it let in along when it is replaced', async () => {
      const { a, id, code } = await client.room();
      const { viewer_token } = await join(id, code);
      const fresh = must(201, await a.call<{ human_code: string }>('POST', `/v1/rooms/${id}/human-code`));
      expect((await a.state(id)).active_viewers).toBe(0);
      expect(await client.viewers(id, { op: 'heartbeat', viewer_token })).toMatchObject({
        status: 404,
        body: { error: 'viewer_not_found' },
      });
      expect((await client.viewers(id, { op: 'join', human_code: code })).status).toBe(403);
      expect((await join(id, fresh.human_code)).active_viewers).toBe(1);
    });
  });

  describe('viewers', () => {
    test('join, beat and leave', async () => {
      const { a, id, code } = await client.room();
      const first = await join(id, code);
      expect(first.viewer_token).toMatch(/^hv_[\w-]{24}$/);
      expect(first.active_viewers).toBe(1);
      const second = await join(id, code);
      expect(second.active_viewers).toBe(2);
      expect((await a.state(id)).active_viewers).toBe(2);
      const beat = await client.viewers(id, {
        op: 'heartbeat',
        viewer_token: first.viewer_token,
        human_code: code,
      });
      expect([beat.status, beat.body]).toEqual([200, { active_viewers: 2 }]);
      const left = await client.viewers(id, { op: 'leave', viewer_token: first.viewer_token });
      expect([left.status, left.body]).toEqual([200, { active_viewers: 1 }]);
    });

    test('expire after 45 s of silence and cannot be revived', async () => {
      const { a, id, code } = await client.room();
      const { viewer_token: token } = await join(id, code);
      await clock.advance(45_000);
      expect((await client.viewers(id, { op: 'heartbeat', viewer_token: token })).status).toBe(200);
      await clock.advance(45_001);
      expect((await a.state(id)).active_viewers).toBe(0);
      expect((await client.viewers(id, { op: 'heartbeat', viewer_token: token })).body).toMatchObject({
        error: 'viewer_not_found',
        status: 404,
      });
    });

    test('may leave twice, and beat no more after that', async () => {
      const { id, code } = await client.room();
      const { viewer_token: token } = await join(id, code);
      for (let i = 0; i < 2; i++) {
        const left = await client.viewers(id, { op: 'leave', viewer_token: token });
        expect([left.status, left.body]).toEqual([200, { active_viewers: 0 }]);
      }
      expect((await client.viewers(id, { op: 'heartbeat', viewer_token: token })).body).toMatchObject({
        error: 'gone',
        status: 410,
      });
    });

    test('are refused with a bad code, a foreign token or an unknown operation', async () => {
      const [one, two] = [await client.room(), await client.room()];
      const { viewer_token: foreign } = await join(two.id, two.code);
      const refused: [object, number, string][] = [
        [{ op: 'join', human_code: two.code }, 403, 'forbidden'],
        [{ op: 'join' }, 403, 'forbidden'],
        [{ op: 'heartbeat', viewer_token: foreign }, 404, 'viewer_not_found'],
        [{ op: 'leave', viewer_token: foreign }, 404, 'viewer_not_found'],
        [{ op: 'leave', viewer_token: 'hv_unknown' }, 404, 'viewer_not_found'],
        [{ op: 'heartbeat' }, 400, 'invalid_request'],
        [{ op: 'dance', viewer_token: foreign }, 400, 'invalid_request'],
        [{}, 400, 'invalid_request'],
      ];
      for (const [body, status, error] of refused) {
        const answer = await client.viewers(one.id, body);
        expect([body, answer.status, answer.body.error]).toEqual([body, status, error]);
      }
      expect((await client.viewers('room_unknown', { op: 'join', human_code: one.code })).status).toBe(404);
    });

    test('may join a closed room, not a purged one', async () => {
      const { a, id, code } = await client.room();
      await a.close(id);
      await join(id, code);
      await clock.advance(945_001);
      expect((await client.viewers(id, { op: 'join', human_code: code })).status).toBe(410);
    });
  });
});

describe('readers › limits', () => {
  test('slow down those who guess codes, per room and address', async () => {
    const clock = new FakeClock();
    const server = await startServer({ clock, rlHumanCodeFailures: 3 });
    try {
      const client = new RoomClient(server);
      const [room, other] = [await client.room(), await client.room()];
      expect((await client.transcript(room.id, room.code)).status).toBe(200);
      for (let i = 0; i < 3; i++) expect((await client.transcript(room.id, `hc_${i}`)).status).toBe(403);
      const blocked = await client.transcript(room.id, room.code);
      expect(blocked.body).toMatchObject({ error: 'rate_limited', status: 429, retry_after_seconds: 60 });
      expect((await client.viewers(room.id, { op: 'join', human_code: room.code })).status).toBe(429);
      expect((await client.transcript(other.id, other.code)).status).toBe(200);
      expect((await client.transcript(room.id, room.code, { from: '127.0.0.7' })).status).toBe(200);
      await clock.advance(60_000);
      expect((await client.transcript(room.id, room.code)).status).toBe(200);
    } finally {
      await server.close();
    }
  });

  test('slow down those who guess viewer tokens, as with codes', async () => {
    const clock = new FakeClock();
    const server = await startServer({ clock, rlHumanCodeFailures: 3 });
    try {
      const client = new RoomClient(server);
      const room = await client.room();
      const joined = await client.viewers(room.id, { op: 'join', human_code: room.code });
      const beat = (token: string) => client.viewers(room.id, { op: 'heartbeat', viewer_token: token });
      const watch = (key: string) => client.call('HEAD', `/v1/rooms/${room.id}/viewer-events`, { key });
      expect((await beat('hv_wrong')).status).toBe(404);
      expect((await client.viewers(room.id, { op: 'leave', viewer_token: 'hv_wrong' })).status).toBe(404);
      expect((await watch('hv_wrong')).status).toBe(404);
      expect((await beat('hv_wrong')).status).toBe(429);
      expect((await watch('hv_wrong')).status).toBe(429);
      // Codes are counted apart.
      expect((await client.transcript(room.id, room.code)).status).toBe(200);
      await clock.advance(60_000);
      expect((await beat(joined.body.viewer_token ?? '')).status).toBe(404);
      expect((await client.viewers(room.id, { op: 'join', human_code: room.code })).status).toBe(201);
    } finally {
      await server.close();
    }
  });
});
