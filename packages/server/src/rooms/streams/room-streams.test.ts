import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { type RoomAgent, talk, type TestRoom } from '../testing/room-client.ts';
import { ROOMS_START, roomScene } from '../testing/room-scene.ts';
import { eventFrame } from './frames.ts';
import { listen } from './testing/room-listening.ts';
import { type ReaderOptions, SseReader } from '../../testing/sse-reader.ts';
import { pass } from '../testing/pass-time.ts';

const idsOf = async (room: TestRoom): Promise<number[]> => {
  const ids: number[] = [];
  for (;;) {
    const page = await room.a.history(room.id, { since: ids.at(-1) ?? 0 });
    if (page.items.length === 0) return ids;
    ids.push(...page.items.map(({ event_id }) => event_id));
  }
};

describeEachServer('rooms › events', (start) => {
  const scene = (options: object = {}) => roomScene(start, options);

  test('sends its frames byte for byte', async () => {
    const { clock, server, client } = await scene();
    const room = await client.room({ max_turns: 4 });
    const stream = await listen(server, room.b, room.id);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-cache, must-revalidate',
      'x-accel-buffering': 'no',
      // A proxy in front has its own connections.
      ...(server.nodes.length === 1 && { connection: 'keep-alive' }),
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
    expect(stream.headers['content-encoding']).toBeUndefined();
    await stream.event('room.state_changed');
    const [created, joined] = stream.ids;
    expect(stream.text.startsWith('retry: 3000\n\n')).toBe(true);
    expect(stream.text).toContain(
      `retry: 3000\n\nid: ${created}\nevent: room.created\ndata: {"event_id":${created},"type":"room.created",` +
        `"room_id":"${room.id}","created_at":"2026-06-01T09:00:00Z","sender_id":"${room.a.id}","room_state":"OPEN"}\n\n` +
        `id: ${joined}\nevent: room.joined\ndata: {`,
    );

    await clock.advance(70_000);
    const { message_id: messageId } = await room.a.send(
      room.id,
      'How long may a tide entry live?\nI say one day.',
    );
    await stream.event('message.created');
    const id = stream.ids.at(-1);
    expect(stream.text).toContain(
      `\n\nid: ${id}\nevent: message.created\ndata: {"event_id":${id},"type":"message.created","room_id":"${room.id}",` +
        `"created_at":"2026-06-01T09:01:10Z","message_id":"${messageId}","turn":0,"sender_id":"${room.a.id}",` +
        `"ciphertext":"How long may a tide entry live?\\nI say one day."}\n\n`,
    );
    expect(stream.text).not.toContain('\r');
    stream.close();
  });

  test('refuses with an ordinary answer before the stream begins', async () => {
    const { clock, server, client } = await scene({ roomsPurgeUnread: 'grace', roomsGraceSeconds: 120 });
    const room = await client.room();
    const other = await client.room();
    const outsider = await client.agent();
    const { token } = await room.a.token(room.id);
    const answer = async (
      agent: RoomAgent,
      options: ReaderOptions & { query?: string } = {},
      id = room.id,
    ) => {
      const { status, headers, ...reader } = await listen(server, agent, id, options).then(
        async (stream) => ({
          status: stream.status,
          headers: stream.headers,
          error: (await stream.json()).error,
        }),
      );
      expect(headers['content-type']).toContain('application/json');
      return [status, reader.error];
    };
    expect(await answer(room.a, { key: 'as_unknown' })).toEqual([401, 'unauthorized']);
    expect(await answer(room.a, { key: token })).toEqual([401, 'unauthorized']);
    expect(await answer(room.a, {}, 'room_unknown')).toEqual([404, 'room_not_found']);
    expect(await answer(outsider)).toEqual([403, 'forbidden']);
    const [foreign] = await idsOf(other);
    for (const since of ['-1', '1.5', 'x', '999999999', String(foreign)]) {
      expect(await answer(room.a, { query: `?since=${since}` })).toEqual([400, 'invalid_request']);
      expect(await answer(room.a, { headers: { 'last-event-id': since } })).toEqual([400, 'invalid_request']);
    }
    await room.a.close(room.id);
    await clock.advance(121_000);
    expect(await answer(room.a)).toEqual([410, 'gone']);
  });

  test('starts after since, which wins over Last-Event-ID; an empty one does not count', async () => {
    const { server, client } = await scene();
    const room = await client.room({ max_turns: 10 });
    await talk(room, 2);
    const ids = await idsOf(room);
    const after = async (count: number, options: ReaderOptions & { query?: string }): Promise<void> => {
      const stream = await listen(server, room.a, room.id, options);
      await stream.until(({ ids: seen }) => seen.length >= ids.length - count);
      expect(stream.ids).toEqual(ids.slice(count));
      stream.close();
    };
    await after(0, {});
    await after(2, { query: `?since=${ids[1]}` });
    await after(3, { headers: { 'last-event-id': String(ids[2]) } });
    await after(1, { query: `?since=${ids[0]}`, headers: { 'last-event-id': String(ids[3]) } });
    await after(0, { query: '?since=0', headers: { 'last-event-id': String(ids[3]) } });
    await after(4, { query: '?since=', headers: { 'last-event-id': String(ids[3]) } });
  });

  test('goes over from a backlog of 205 events to live ones without a gap or a repeat', async () => {
    const { server, client } = await scene();
    const room = await client.room({ max_turns: 1000 });
    await talk(room, 201);
    const backlog = await idsOf(room);
    expect(backlog).toHaveLength(205);
    const talking = talk(room, 221);
    const streams: SseReader[] = [];
    for (const since of [0, backlog[99], backlog[100], backlog[203], backlog[204]]) {
      streams.push(await listen(server, room.b, room.id, { query: `?since=${since}` }));
    }
    await talking;
    const all = await idsOf(room);
    expect(all).toHaveLength(225);
    const last = all.at(-1);
    for (const stream of streams) await stream.until(({ ids }) => ids.at(-1) === last);
    expect(streams.map(({ ids }) => ids)).toEqual([0, 100, 101, 204, 205].map((from) => all.slice(from)));
    for (const stream of streams) stream.close();
  });

  test('tells of a close by the clock without any request, and ends only after the purge', async () => {
    const { clock, server, client } = await scene({ roomsPurgeUnread: 'grace', roomsGraceSeconds: 120 });
    const room = await client.room({ ttl_seconds: 60 });
    const stream = await listen(server, room.b, room.id);
    await stream.event('room.state_changed');
    const time = { clock, server };
    const passed = await pass(time, 70_000, () => stream.events.includes('room.closed'));
    expect(passed).toBeGreaterThan(60_000);
    const closed = stream.frames.at(-1)?.data;
    expect(closed).toMatchObject({ room_state: 'CLOSED', reason: 'ttl_expired' });
    expect(closed).not.toHaveProperty('sender_id');
    expect(stream.over).toBe(false);
    await pass(time, 140_000, () => stream.over);
    expect(stream.events.slice(-4)).toEqual([
      'room.state_changed',
      'room.closed',
      'room.state_changed',
      'room.purged',
    ]);
    expect(stream.frames.at(-1)?.data).toMatchObject({ room_state: 'PURGED', reason: 'grace_elapsed' });
  });

  test('sends a comment every 20 s', async () => {
    const { clock, server, client } = await scene();
    const room = await client.room();
    const stream = await listen(server, room.a, room.id);
    await stream.event('room.state_changed');
    await clock.advance(20_250);
    await expect.poll(() => stream.text).toMatch(/\n\n: keepalive\n\n$/);
    await clock.advance(40_500);
    await expect.poll(() => stream.text.split(': keepalive\n\n')).toHaveLength(4);
    stream.close();
  });

  test('ends at once, without a frame, when its session is ended', async () => {
    const { server, client } = await scene();
    const room = await client.room();
    const kept = await listen(server, room.b, room.id);
    const stream = await listen(server, room.a, room.id);
    await stream.event('room.state_changed');
    const before = stream.text;
    expect((await room.a.call('DELETE', '/v1/agent/session')).status).toBeLessThan(300);
    await stream.ended();
    expect(stream.text).toBe(before);
    expect(kept.over).toBe(false);
    kept.close();
  });

  test('ends at the next check when its credential has expired', async () => {
    const { clock, server, client } = await scene();
    const owner = await client.people.owner();
    const soon = new Date(ROOMS_START + 65_000).toISOString();
    const short = await client.call<{ api_key: string }>('POST', '/v1/keys', {
      key: owner.key,
      body: { expires_at: soon },
    });
    expect(short.status).toBe(201);
    const made = await client.call<{ room_id: string }>('POST', '/v1/listings', {
      key: owner.key,
      body: { topic: 'tides' },
    });
    const path = `/v1/rooms/${made.body.room_id}/events`;
    const stream = await SseReader.open(server, path, { key: short.body.api_key });
    await stream.event('room.joined');
    const passed = await pass({ clock, server }, 100_000, () => stream.over);
    expect(passed).toBeGreaterThanOrEqual(65_000);
    expect(stream.events.at(-1)).toBe('room.joined');
  });

  test('answers HEAD with the type and no stream', async () => {
    const { client } = await scene();
    const room = await client.room();
    const { status, headers, text } = await room.a.call('HEAD', `/v1/rooms/${room.id}/events`);
    expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream', '']);
  });

  test('turns an event into bytes once, however many listen', async () => {
    const { server, client } = await scene();
    const room = await client.room();
    const heard = new Promise<Buffer>((resolve) => {
      for (const { context } of server.nodes)
        context.rooms.service.announced.events.add((event) => resolve(eventFrame(event)));
    });
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen(server, room.a, room.id)));
    await room.a.send(room.id, 'once');
    for (const stream of streams) await stream.event('message.created');
    const bytes = (await heard).toString();
    expect(streams.every(({ text }) => text.endsWith(bytes))).toBe(true);
    for (const stream of streams) stream.close();
  });
});
