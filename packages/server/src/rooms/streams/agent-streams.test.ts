import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { roomScene } from '../testing/room-scene.ts';
import { backlog, listen } from './testing/agent-listening.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { pass } from '../testing/pass-time.ts';
import { readRoom } from '../room/current-rooms.ts';
import { pendingFor, tellOver } from '../turn-wakes/deliveries.ts';

const START = Date.UTC(2026, 5, 1, 9, 0, 41, 3);

describeEachServer('rooms › agent stream', (start) => {
  const scene = (options: object = {}) => roomScene(start, { clock: new FakeClock(START), ...options });

  test('says hello and wakes, byte for byte', async () => {
    const { server, client } = await scene();
    const { a, id: room, listing } = await client.openRoom();
    const stream = await listen(server, a);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-cache, must-revalidate',
      'x-accel-buffering': 'no',
    });
    const b = await client.agent();
    await b.connect(listing.id);
    await stream.event('room.turn_ready');
    const delivery = stream.frames.at(-1)?.id;
    expect(delivery).toMatch(/^dly_[\w-]{16}$/);
    expect(stream.text).toBe(
      'retry: 3000\n\n' +
        `event: stream.hello\ndata: {"type":"stream.hello","agent_id":"${a.id}","resume_status":"fresh",` +
        '"last_acknowledged_delivery_id":"","server_time":"2026-06-01T09:00:41.003Z"}\n\n' +
        `id: ${delivery}\nevent: room.turn_ready\ndata: {"type":"room.turn_ready","room_id":"${room}",` +
        `"target_agent_id":"${a.id}","room_state":"ACTIVE","next_turn":0,"next_actor_id":"${a.id}",` +
        `"reason":"room_activated","occurred_at":"2026-06-01T09:00:41.003Z","delivery_id":"${delivery}",` +
        `"agent_id":"${a.id}","created_at":"2026-06-01T09:00:41.003Z","expires_at":"2026-06-01T09:30:41.003Z"}\n\n`,
    );
    stream.close();
  });

  test('carries a whole room: each turn to its actor, the end to both, never what was said', async () => {
    const { server, client } = await scene();
    const room = await client.room({ max_turns: 4 });
    const [ofA, ofB] = [await listen(server, room.a), await listen(server, room.b)];
    for (let turn = 0; turn < 4; turn++) {
      const [agent, stream] = turn % 2 === 0 ? [room.a, ofA] : [room.b, ofB];
      await stream.until(({ frames }) => frames.at(-1)?.data.next_turn === turn);
      const { id, data } = stream.frames.at(-1) ?? {};
      expect(data).toMatchObject({
        next_actor_id: agent.id,
        reason: turn === 0 ? 'room_activated' : 'peer_message',
      });
      await agent.acknowledge(id);
      await agent.send(room.id, `secret words ${turn}`);
    }
    for (const stream of [ofA, ofB]) {
      await stream.event('room.closed');
      expect(stream.events).toEqual(['stream.hello', 'room.turn_ready', 'room.turn_ready', 'room.closed']);
      expect(stream.frames.at(-1)?.data).toMatchObject({
        room_state: 'CLOSED',
        reason: 'max_turns_reached',
        closed_at: '2026-06-01T09:00:41Z',
      });
      expect(stream.text).not.toMatch(/secret words|rat_|ciphertext|"token"/);
      stream.close();
    }
  });

  test('tells of a close by the clock without any request', async () => {
    const { clock, server, client } = await scene();
    const room = await client.room({ ttl_seconds: 30 });
    const streams = [await listen(server, room.a), await listen(server, room.b)];
    const closed = (): boolean => streams.every(({ events }) => events.includes('room.closed'));
    expect(await pass({ clock, server }, 40_000, closed)).toBeGreaterThan(30_000);
    for (const stream of streams) {
      expect(stream.frames.at(-1)?.data).toMatchObject({ reason: 'ttl_expired', room_state: 'CLOSED' });
      stream.close();
    }
  });

  test('sends 205 pending deliveries in order and then live ones, each once', async () => {
    const { server, client } = await scene();
    const room = await client.room();
    const { database, rooms } = server.context;
    const closed = {
      ...(await readRoom(rooms.service, room.id)),
      closeReason: 'manual_close' as const,
    };
    const more = (count: number): Promise<void> =>
      database.write(async (tx) => {
        for (let made = 0; made < count; made++)
          await tellOver({ rooms: rooms.service, tx, now: START }, closed, 'room.closed', 'manual_close');
      });
    await more(204);
    const opening = listen(server, room.a);
    await more(10);
    const stream = await opening;
    await more(10);
    await stream.until(({ frames }) => frames.length >= 226);
    const sent = stream.frames.slice(1).map(({ id }) => id);
    const pending = await pendingFor(rooms.service, room.a.suffix, 0, 1000);
    expect(sent).toHaveLength(225);
    expect(sent).toEqual(pending.map(({ id }) => id));
    stream.close();
  });

  test('can be narrowed to some rooms', async () => {
    const { server, client } = await scene();
    const agent = await client.agent();
    const peer = await client.agent();
    const [one, two, three] = [
      await agent.list({ topic: 'one' }),
      await agent.list({ topic: 'two' }),
      await agent.list({ topic: 'three' }),
    ];
    await peer.connect(one.id);
    await peer.connect(two.id);
    const stream = await listen(server, agent, { query: `?rooms=${two.room_id},${three.room_id}` });
    await stream.event('room.turn_ready');
    await peer.connect(three.id);
    await stream.event('room.turn_ready', 2);
    expect(stream.frames.slice(1).map(({ data }) => data.room_id)).toEqual([two.room_id, three.room_id]);
    stream.close();
    const refused = await listen(server, agent, { query: '?rooms=room_a/../b' });
    expect([refused.status, (await refused.json()).error]).toEqual([400, 'invalid_request']);
  });

  test('accepts the kinds of wakes to come, without changing a byte of room frames', async () => {
    const { server, client } = await scene();
    const room = await client.room();
    const plain = await backlog(server, room.a);
    for (const include of ['rooms', 'messages,cues,handoffs', 'rooms, messages', '']) {
      const stream = await backlog(server, room.a, { query: `?include=${encodeURIComponent(include)}` });
      const [hello, wake] = [plain, stream].map(({ text }) => text.split('\n\n').slice(0, 3));
      expect(wake).toEqual(hello);
    }
    const refused = await listen(server, room.a, { query: '?include=rooms,everything' });
    expect([refused.status, (await refused.json()).error]).toEqual([400, 'invalid_request']);
  });

  test('serves several streams of one agent, all with everything, up to a limit', async () => {
    const { server, client } = await scene({ rateLimits: true });
    const { a, listing } = await client.openRoom();
    const streams: SseReader[] = [];
    for (let count = 0; count < 8; count++) streams.push(await listen(server, a));
    const ninth = await listen(server, a);
    expect([ninth.status, ninth.headers['retry-after']]).toEqual([429, '3']);
    const b = await client.agent();
    await b.connect(listing.id);
    for (const stream of streams) await stream.event('room.turn_ready');
    streams[0]?.close();
    await expect.poll(() => client.metric('parley_agent_streams')).toBe(7);
    // A replay ends by itself and holds no place.
    for (let count = 0; count < 3; count++)
      await (await listen(server, a, { query: '?last_delivery_id=x' })).ended();
    const again = await listen(server, a);
    expect(again.status).toBe(200);
    for (const stream of [...streams, again]) stream.close();
  });

  test('does not count reconnects', async () => {
    const { server, client } = await scene({ rateLimits: true });
    const { a } = await client.openRoom();
    for (let count = 0; count < 200; count++) {
      const stream = await listen(server, a, { query: '?last_delivery_id=bogus' });
      expect(stream.status).toBe(200);
      await stream.ended();
    }
  });

  test('asks to log in again and closes when its session is over', async () => {
    const { server, client } = await scene();
    const room = await client.room();
    const stream = await listen(server, room.a);
    const byKey = await listen(server, room.a, { key: room.a.apiKey });
    await stream.event('room.turn_ready');
    await room.a.call('DELETE', '/v1/agent/session');
    await stream.ended();
    expect(stream.text).toMatch(
      new RegExp(
        `\\n\\nevent: auth\\.relogin_required\\ndata: \\{"type":"auth\\.relogin_required","agent_id":"${room.a.id}"\\}\\n\\n$`,
      ),
    );
    expect(byKey.over).toBe(false);
    byKey.close();
    expect((await listen(server, room.a)).status).toBe(401);
  });

  test('refuses room tokens and strangers', async () => {
    const { server, client } = await scene();
    const room = await client.room();
    const { token } = await room.a.token(room.id);
    for (const key of [token, 'as_unknown', 'nonsense']) {
      const stream = await listen(server, room.a, { key });
      expect([stream.status, (await stream.json()).error]).toEqual([401, 'unauthorized']);
    }
    expect((await SseReader.open(server, '/v1/agent/stream')).status).toBe(401);
  });

  test('sends a comment every 20 s, and ends in order when the server stops', async () => {
    const { clock, server, client } = await scene();
    const agent = await client.agent();
    const stream = await listen(server, agent);
    await stream.event('stream.hello');
    await clock.advance(20_250);
    await stream.until(({ text }) => text.endsWith('\n\n: keepalive\n\n'));
    for (const { context } of server.nodes) context.release();
    await stream.ended();
    expect(stream.text.endsWith(': keepalive\n\n')).toBe(true);
  });
});
