import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis, startRedis } from '../../testing/redis.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { must, RoomAgent, RoomClient } from '../testing/room-client.ts';
import { listen } from './testing/agent-listening.ts';
import { listen as listenInRoom } from './testing/room-listening.ts';

const missing = missingPostgres() ?? missingRedis();
const title = 'rooms › streams of two nodes';

const at = (node: TestServer, { id, apiKey, session }: RoomAgent): RoomAgent =>
  new RoomAgent(new RoomClient(node), id, apiKey, session);

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  // Stands still: what happens, happens by hints alone.
  const clock = new FakeClock();
  const cleanups: (() => Promise<void>)[] = [];
  let start: () => Promise<TestServer>;
  let nodes: readonly [TestServer, TestServer];
  beforeAll(async () => {
    const redis = await startRedis();
    const place = await freshTables();
    cleanups.push(
      () => redis.stop(),
      () => place.remove(),
    );
    start = async () => {
      const node = await startServer({
        databaseUrl: place.at.url,
        redisUrl: redis.url,
        secretKey: '5'.repeat(64),
        clock,
        rlAgentStreams: 3,
      });
      cleanups.push(() => node.close());
      return node;
    };
    nodes = [await start(), await start()];
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('a viewer at one node is told at once that the room was closed at another', async () => {
    const client = new RoomClient(nodes[0]);
    const room = await client.room();
    const joined = await client.viewers(room.id, { op: 'join', human_code: room.code });
    const key = must(201, joined).viewer_token ?? '';
    const stream = await SseReader.open(nodes[1], `/v1/rooms/${room.id}/viewer-events`, { key });
    expect(stream.status).toBe(200);
    await room.a.close(room.id);
    await expect.poll(() => stream.over).toBe(true);
  });

  test('whoever is told that they are typing can stop at any other node, however soon', async () => {
    const { a, id } = await new RoomClient(nodes[0]).room();
    const there = at(nodes[1], a);
    const seen = (node: TestServer) => node.context.rooms.service.typing.current(id);
    for (let round = 0; round < 10; round++) {
      await a.typing(id, { state: 'start' });
      expect((await there.typing(id, { state: 'stop' })).body).toMatchObject({ cleared: true });
      expect(seen(nodes[1])).toEqual([]);
      await expect.poll(() => seen(nodes[0])).toEqual([]);
    }
  });

  test('open streams of an agent are counted over all nodes, without those of a node that stopped', async () => {
    const third = await start();
    const agent = await new RoomClient(nodes[0]).agent();
    const places = [nodes[0], nodes[1], third];
    await expect.poll(() => places.map(({ context }) => context.cluster.others().length)).toEqual([2, 2, 2]);
    const open = await Promise.all(places.map((node) => listen(node, agent)));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const node of places) expect((await listen(node, agent)).status).toBe(429);

    const status = async (node: TestServer): Promise<number> => {
      const stream = await listen(node, agent);
      stream.close();
      return stream.status;
    };
    open[0]?.close();
    await expect.poll(() => status(nodes[1])).toBe(200);
    await third.close();
    await expect.poll(() => nodes[0].context.cluster.others()).toHaveLength(1);
    await expect.poll(() => status(nodes[0])).toBe(200);
    open[1]?.close();
  });
});

const lost = 'rooms › streams of two nodes whose hints are all lost';
/** How often whoever holds something open is told to look by itself, and a moment. */
const LOOK_MS = 5_250;

/** Each has a Redis of its own: what they know of each other is in the store. */
describe.skipIf(missing)(missing ? `${lost} (not available: ${missing})` : lost, () => {
  const clock = new FakeClock();
  const cleanups: (() => Promise<void>)[] = [];
  let one: TestServer;
  let two: TestServer;
  beforeAll(async () => {
    const place = await freshTables();
    cleanups.push(() => place.remove());
    const start = async (): Promise<TestServer> => {
      const redis = await startRedis();
      cleanups.push(() => redis.stop());
      const node = await startServer({
        databaseUrl: place.at.url,
        redisUrl: redis.url,
        secretKey: '5'.repeat(64),
        clock,
        rateLimits: false,
      });
      cleanups.push(() => node.close());
      return node;
    };
    [one, two] = [await start(), await start()];
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('those of a room, of an agent and of a viewer tell within seconds what came through the other', async () => {
    const client = new RoomClient(one);
    const room = await client.room({ max_turns: 4 });
    const joined = must(201, await client.viewers(room.id, { op: 'join', human_code: room.code }));
    const b = at(two, room.b);
    const ofRoom = await listenInRoom(two, b, room.id);
    const ofAgent = await listen(two, b);
    const path = `/v1/rooms/${room.id}/viewer-events`;
    const ofViewer = await SseReader.open(two, path, { key: joined.viewer_token ?? '' });
    // Both wait now: what was there before has come.
    await ofRoom.event('room.state_changed');
    await ofAgent.event('stream.hello');
    await ofViewer.until(({ text }) => text.includes('retry'));

    await room.a.send(room.id, 'said at the other');
    await clock.advance(LOOK_MS);
    await ofRoom.event('message.created');
    await ofAgent.event('room.turn_ready');

    await room.a.close(room.id);
    await clock.advance(LOOK_MS);
    await ofRoom.event('room.closed');
    await ofAgent.event('room.closed');
    await ofViewer.ended();
    for (const stream of [ofRoom, ofAgent]) stream.close();
  });
});
