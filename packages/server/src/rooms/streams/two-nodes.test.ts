import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis, startRedis, type TestRedis } from '../../testing/redis.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { must, type OpenRoom, RoomAgent, RoomClient } from '../testing/room-client.ts';
import { listen } from './testing/agent-listening.ts';
import { listen as listenInRoom } from './testing/room-listening.ts';

const missing = missingPostgres() ?? missingRedis();
const title = 'rooms › streams of two nodes';

const at = (node: TestServer, { id, apiKey, session }: RoomAgent): RoomAgent =>
  new RoomAgent(new RoomClient(node), id, apiKey, session);

/** What a viewer at the node is told of typing from now on. */
async function watch(node: TestServer, room: OpenRoom) {
  const joined = await new RoomClient(node).viewers(room.id, { op: 'join', human_code: room.code });
  const key = must(201, joined).viewer_token ?? '';
  const stream = await SseReader.open(node, `/v1/rooms/${room.id}/viewer-events`, { key });
  await stream.until(({ text }) => text.includes('retry'));
  const states = (): unknown[] => stream.frames.map(({ data }) => data.state);
  return { stream, states };
}

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  // Stands still where no test moves it: what happens, happens by hints alone.
  const clock = new FakeClock();
  const cleanups: (() => Promise<void>)[] = [];
  let redis: TestRedis;
  let start: () => Promise<TestServer>;
  let nodes: readonly [TestServer, TestServer];
  beforeAll(async () => {
    redis = await startRedis();
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
    const room = await new RoomClient(nodes[0]).room();
    const { stream } = await watch(nodes[1], room);
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

  test('a viewer at a node that started later is told who is typing, and that they stopped', async () => {
    const room = await new RoomClient(nodes[0]).room();
    // In Redis it ends by real time.
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    const early = await watch(nodes[0], room);
    await early.stream.event('agent.typing');
    await clock.advance(2_000);
    const later = await start();
    const late = await watch(later, room);
    await late.stream.event('agent.typing');
    expect(late.stream.text).toBe(early.stream.text);
    // By itself, when what is left of it is over.
    await clock.advance(27_000);
    expect(late.states()).toEqual(['start']);
    await clock.advance(2_000);
    await expect.poll(late.states).toEqual(['start', 'stop']);
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    await expect.poll(late.states).toEqual(['start', 'stop', 'start']);
    await room.a.typing(room.id, { state: 'stop' });
    await expect.poll(late.states).toEqual(['start', 'stop', 'start', 'stop']);
    const last = await start();
    const { states } = await watch(last, room);
    await clock.advance(5_000);
    // What was looked up is told before what comes after it.
    await last.context.rooms.service.typing.look(room.id);
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    await expect.poll(states).toEqual(['start']);
    for (const node of [later, last]) await node.close();
  });

  test('who is typing is known within five seconds where the hint was lost, and whoever says that they stopped is told that they were', async () => {
    const room = await new RoomClient(nodes[0]).room();
    const deaf = nodes[1].context.cluster.redis;
    await deaf?.listening.unsubscribe(deaf.key('bus'));
    onTestFinished(async () => void (await deaf?.listening.subscribe(deaf.key('bus'))));
    const [{ states: near }, { states }] = [await watch(nodes[0], room), await watch(nodes[1], room)];
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    expect((await at(nodes[1], room.a).typing(room.id, { state: 'stop' })).body.cleared).toBe(true);
    await expect.poll(near).toEqual(['start', 'stop']);
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    expect(states()).toEqual([]);
    await clock.advance(5_000);
    await expect.poll(states).toEqual(['start']);
    await room.a.typing(room.id, { state: 'stop' });
    await clock.advance(5_000);
    await expect.poll(states).toEqual(['start', 'stop']);
  });

  test('a message and the end of a room end what only another node knows of', async () => {
    const room = await new RoomClient(nodes[0]).room();
    const deaf = nodes[1].context.cluster.redis;
    await deaf?.listening.unsubscribe(deaf.key('bus'));
    onTestFinished(async () => void (await deaf?.listening.subscribe(deaf.key('bus'))));
    const { states } = await watch(nodes[0], room);
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    await at(nodes[1], room.a).send(room.id, 'here it is');
    await expect.poll(states).toEqual(['start', 'stop']);
    await room.b.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    const seen = () => nodes[0].context.rooms.service.typing.current(room.id);
    expect(seen()).toHaveLength(1);
    await at(nodes[1], room.b).close(room.id);
    await expect.poll(seen).toEqual([]);
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

  test('while Redis is away a viewer is told of those that the node heard of', async () => {
    const room = await new RoomClient(nodes[0]).room();
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    const seen = () => nodes[1].context.rooms.service.typing.current(room.id);
    await expect.poll(seen).toHaveLength(1);
    await redis.kill();
    await expect.poll(() => nodes[1].context.cluster.redis?.up).toBe(false);
    const { states } = await watch(nodes[1], room);
    await expect.poll(states).toEqual(['start']);
    await at(nodes[1], room.a).typing(room.id, { state: 'stop' });
    await expect.poll(states).toEqual(['start', 'stop']);
    await redis.startAgain();
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
    await expect.poll(() => ofViewer.over).toBe(true);
    for (const stream of [ofRoom, ofAgent]) stream.close();
  });
});
