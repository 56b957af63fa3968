import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { missingRedis, startRedis } from '../../testing/redis.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { RoomAgent, RoomClient } from '../testing/room-client.ts';

const missing = missingPostgres() ?? missingRedis();
const title = 'rooms › raced at two nodes';
const ROUNDS = 8;
const RACERS = 6;

const at = (node: TestServer, { id, apiKey, session }: RoomAgent): RoomAgent =>
  new RoomAgent(new RoomClient(node), id, apiKey, session);

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  let nodes: readonly [TestServer, TestServer];
  beforeAll(async () => {
    const redis = await startRedis();
    const place = await freshTables();
    cleanups.push(
      () => redis.stop(),
      () => place.remove(),
    );
    const start = async () => {
      const shared = { databaseUrl: place.at.url, redisUrl: redis.url, secretKey: '5'.repeat(64) };
      const node = await startServer({ ...shared, rateLimits: false });
      cleanups.push(() => node.close());
      return node;
    };
    nodes = [await start(), await start()];
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  const everywhere = <T>(ask: (node: TestServer, racer: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: RACERS }, (_, racer) => ask(nodes[racer % 2 === 0 ? 0 : 1], racer)));

  test('each turn is spoken once, whoever asks for it and where', async () => {
    const { a, b, id } = await new RoomClient(nodes[0]).room();
    for (let turn = 0; turn < ROUNDS; turn++) {
      const speaker = turn % 2 === 0 ? a : b;
      const { next_turn: expected, bundle_hash: hash } = await speaker.context(id);
      const answers = await everywhere((node, racer) =>
        at(node, racer < 4 ? speaker : speaker === a ? b : a).post(id, {
          expected_turn: expected,
          ciphertext: `turn ${turn} of racer ${racer}`,
          bundle_hash: hash,
        }),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status !== 201 && status !== 409 && status !== 403)).toEqual([]);
      expect((await a.context(id)).next_turn).toBe(expected + 1);
    }
  });

  test('a listing that several connect to at once has one of them', async () => {
    const { listing } = await new RoomClient(nodes[0]).openRoom();
    const agents = await everywhere((node) => new RoomClient(node).agent());
    const answers = await Promise.all(agents.map((agent) => agent.tryConnect(listing.id)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });
});
