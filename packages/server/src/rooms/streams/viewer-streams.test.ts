import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { must, type OpenRoom, RoomClient } from '../testing/room-client.ts';
import { roomScene } from '../testing/room-scene.ts';
import { type ReaderOptions, SseReader } from '../../testing/sse-reader.ts';
import { pass } from '../testing/pass-time.ts';

const START = Date.UTC(2026, 5, 1, 9, 1, 20);

const join = async (client: RoomClient, { id, code }: OpenRoom): Promise<string> =>
  must(201, await client.viewers(id, { op: 'join', human_code: code })).viewer_token ?? '';

const watch = (
  server: TestServer,
  roomId: string,
  key: string,
  { query = '', ...options }: ReaderOptions & { query?: string } = {},
): Promise<SseReader> =>
  SseReader.open(server, `/v1/rooms/${roomId}/viewer-events${query}`, { key, ...options });

describeEachServer('rooms › viewer stream', (start) => {
  const scene = (options: object = {}) => roomScene(start, { clock: new FakeClock(START), ...options });

  test('tells who is typing, byte for byte, first what is so already', async () => {
    const { clock, server, client } = await scene();
    const room = await client.room();
    const token = await join(client, room);
    const start7 =
      `event: agent.typing\ndata: {"type":"agent.typing","room_id":"${room.id}","actor_id":"${room.a.id}",` +
      '"state":"start","ttl_ms":7000,"created_at":"2026-06-01T09:01:20Z","expires_at":"2026-06-01T09:01:27Z"}\n\n';
    const early = await watch(server, room.id, token);
    expect(early.status).toBe(200);
    expect(early.headers['content-type']).toBe('text/event-stream');
    await early.until(({ text }) => text === 'retry: 3000\n\n');
    await room.a.typing(room.id, { state: 'start', ttl_ms: 7000 });
    const late = await watch(server, room.id, token);
    for (const stream of [early, late]) {
      await stream.event('agent.typing');
      expect(stream.text).toBe(`retry: 3000\n\n${start7}`);
    }
    await clock.advance(2_000);
    await room.a.typing(room.id, { state: 'stop' });
    for (const stream of [early, late]) {
      await stream.event('agent.typing', 2);
      expect(stream.text).toBe(
        `retry: 3000\n\n${start7}event: agent.typing\ndata: {"type":"agent.typing","room_id":"${room.id}",` +
          `"actor_id":"${room.a.id}","state":"stop","created_at":"2026-06-01T09:01:22Z",` +
          '"expires_at":"2026-06-01T09:01:22Z"}\n\n',
      );
      stream.close();
    }
  });

  test('tells of the end of typing by expiry, by the message and by the close, once each', async () => {
    const { clock, server, client } = await scene();
    const room = await client.room();
    const stream = await watch(server, room.id, await join(client, room));
    const states = (): unknown[] => stream.frames.map(({ data }) => data.state);
    await room.a.typing(room.id, { state: 'start', ttl_ms: 2000 });
    await clock.advance(2_250);
    await stream.until(() => states().length === 2);
    await room.a.typing(room.id, { state: 'start' });
    await room.a.typing(room.id, { state: 'start' });
    await room.a.send(room.id, 'done');
    await stream.until(() => states().length === 5);
    await room.b.typing(room.id, { state: 'start' });
    await room.a.close(room.id);
    await stream.ended();
    expect(states()).toEqual(['start', 'stop', 'start', 'start', 'stop', 'start', 'stop']);
    expect(stream.text).not.toMatch(/^id:/m);
  });

  test('waits in a room that is still open', async () => {
    const { server, client } = await scene();
    const room = await client.openRoom();
    const stream = await watch(server, room.id, await join(client, room));
    const b = await client.agent();
    await b.connect(room.listing.id);
    await room.a.typing(room.id, { state: 'start' });
    await stream.event('agent.typing');
    expect(stream.over).toBe(false);
    stream.close();
  });

  test('refuses with an ordinary answer before the stream begins', async () => {
    const { clock, server, client } = await scene({ roomsPurgeUnread: 'grace', roomsGraceSeconds: 60 });
    const room = await client.room();
    const other = await client.room();
    const refusal = async (key: string | undefined, query = ''): Promise<unknown[]> => {
      const stream = await SseReader.open(server, `/v1/rooms/${room.id}/viewer-events${query}`, {
        ...(key !== undefined && { key }),
      });
      return [stream.status, (await stream.json()).error];
    };
    expect(await refusal(undefined)).toEqual([401, 'unauthorized']);
    expect(await refusal('hv_unknown')).toEqual([404, 'viewer_not_found']);
    expect(await refusal(room.a.session)).toEqual([404, 'viewer_not_found']);
    expect(await refusal(await join(client, other))).toEqual([404, 'viewer_not_found']);
    const left = await join(client, room);
    await client.viewers(room.id, { op: 'leave', viewer_token: left });
    expect(await refusal(left)).toEqual([410, 'gone']);
    const expired = await join(client, room);
    await clock.advance(45_001);
    expect(await refusal(expired)).toEqual([404, 'viewer_not_found']);
    const token = await join(client, room);
    expect(await refusal(token, '?include=everything')).toEqual([400, 'invalid_request']);
    expect(await refusal(token, '?include=messages&since=x')).toEqual([400, 'invalid_request']);
    const foreign = (await other.a.history(other.id)).next_since;
    expect(await refusal(token, `?include=messages&since=${foreign}`)).toEqual([400, 'invalid_request']);
    await room.a.close(room.id);
    expect(await refusal(token)).toEqual([410, 'gone']);
    await clock.advance(900_000);
    expect(await refusal(token)).toEqual([410, 'gone']);
  });

  test('ends soon after its viewer left or fell silent, and is no sign of life itself', async () => {
    const { clock, server, client } = await scene();
    const room = await client.room({ ttl_seconds: 3600 });
    const [leaving, silent, beating] = [
      await join(client, room),
      await join(client, room),
      await join(client, room),
    ];
    const open = (token: string): Promise<SseReader> => watch(server, room.id, token);
    const [left, quiet, kept] = [await open(leaving), await open(silent), await open(beating)];
    await client.viewers(room.id, { op: 'leave', viewer_token: leaving });
    const time = { clock, server };
    expect(await pass(time, 12_000, () => left.over)).toBeGreaterThanOrEqual(10_000);
    await client.viewers(room.id, { op: 'heartbeat', viewer_token: beating });
    await pass(time, 25_000, () => clock.now() - START >= 35_000);
    await client.viewers(room.id, { op: 'heartbeat', viewer_token: beating });
    await pass(time, 57_000 - (clock.now() - START), () => quiet.over);
    expect(clock.now() - START).toBeGreaterThan(45_000);
    expect(kept.over).toBe(false);
    expect(kept.text).toContain(': keepalive\n\n');
    kept.close();
  });

  test('with include=messages carries what is said, with ids, from a cursor on', async () => {
    const { server, client } = await scene();
    const room = await client.room({ max_turns: 3 });
    const token = await join(client, room);
    await room.a.send(room.id, 'first');
    const { items } = await room.a.history(room.id);
    const all = await watch(server, room.id, token, { query: '?include=messages' });
    await all.until(({ ids }) => ids.length === items.length);
    expect(all.frames.map(({ data }) => data)).toEqual(items);
    const since = items[2]?.event_id;
    const later = await watch(server, room.id, token, { query: `?include=messages&since=${since}` });
    const resumed = await watch(server, room.id, token, {
      query: '?include=messages',
      headers: { 'last-event-id': String(since) },
    });
    const plain = await watch(server, room.id, token, { query: `?since=${since}` });

    await room.b.typing(room.id, { state: 'start' });
    await room.b.send(room.id, 'second');
    await room.a.send(room.id, 'third');
    for (const stream of [all, later, resumed, plain]) await stream.ended();
    const whole = (await room.a.history(room.id)).items.map(({ event_id }) => event_id);
    expect(all.ids).toEqual(whole);
    expect(later.ids).toEqual(whole.slice(3));
    expect(resumed.ids).toEqual(whole.slice(3));
    expect(all.events.slice(-6)).toEqual([
      'agent.typing',
      'agent.typing',
      'message.created',
      'message.created',
      'room.state_changed',
      'room.closed',
    ]);
    expect(plain.events).toEqual(['agent.typing', 'agent.typing']);
    expect(plain.text).not.toContain('second');
  });

  test('limits the streams of one viewer', async () => {
    const { server, client } = await scene({ rateLimits: true });
    const room = await client.room();
    const token = await join(client, room);
    const streams: SseReader[] = [];
    for (let count = 0; count < 5; count++) streams.push(await watch(server, room.id, token));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const sixth = await watch(server, room.id, token);
    expect([sixth.status, await sixth.json()]).toMatchObject([
      429,
      {
        error: 'rate_limited',
        hint: expect.stringContaining('At most 5 at a time (PARLEY_RL_VIEWER_STREAMS).'),
      },
    ]);
    expect(await client.metric('parley_room_viewer_streams')).toBe(5);
    for (const stream of streams) stream.close();
  });
});
