import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PersonClient } from '../../console/testing/person-client.ts';
import { Memory } from '../../continuity/testing/memory.ts';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import { People } from '../../identity/testing/people.ts';
import { RoomClient } from '../../rooms/testing/room-client.ts';
import { ask, freshTables, missingPostgres } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startNodeProcess, told } from '../../testing/node-process.ts';
import { gate } from '../jobs/testing/job-harness.ts';
import { missingRedis, startRedis, type TestRedis } from '../../testing/redis.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { startServer, type TestOptions, type TestServer } from '../../testing/start-server.ts';

const missing = missingPostgres() ?? missingRedis();
const title = 'nodes of one store';

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  const secretKey = '5'.repeat(64);
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    await redis.stop();
  });

  async function store(options: TestOptions = {}) {
    const place = await freshTables();
    cleanups.push(() => place.remove());
    return async (more: TestOptions = {}): Promise<TestServer> => {
      const node = await startServer({
        databaseUrl: place.at.url,
        secretKey,
        rateLimits: false,
        ...options,
        ...more,
      });
      cleanups.push(() => node.close());
      return node;
    };
  }

  test('one alone needs no Redis; a second without one is refused, and says what is missing', async () => {
    const start = await store();
    const first = await start();
    await expect(start()).rejects.toThrow(/another server uses this database: .*PARLEY_REDIS_URL=redis:/);
    await expect(start({ redisUrl: redis.url })).rejects.toThrow(/without redis_url: stop it/);
    expect((await fetch(`${first.url}/ready`)).status).toBe(200);
    await first.close();
    const next = await start({ redisUrl: redis.url });
    expect(await (await fetch(`${next.url}/health`)).json()).toMatchObject({ redis: 'ok' });
  }, 30_000);

  test('one alone whose place another has taken stops, and says why', async () => {
    const place = await freshTables();
    cleanups.push(() => place.remove());
    const node = await startNodeProcess({ databaseUrl: place.at.url, secretKey });
    cleanups.push(() => node.child.kill());
    const other = new Client({ connectionString: place.at.url });
    await other.connect();
    cleanups.push(() => other.end());
    const waiting = other.query(
      "SELECT pg_advisory_lock(hashtextextended('parley node ' || current_schema(), 0))",
    );
    await ask(
      place.at.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'parley ________-%' AND datname = current_database()`,
    );
    await waiting;
    await expect(node.child.finished()).rejects.toThrow('ended with 1');
    expect(told(node, 'node_place_taken')).toMatchObject([
      { reason: expect.stringContaining('another server uses this database') },
    ]);
  }, 30_000);

  test('one that stands still in the middle of its check keeps no other from being ready', async () => {
    const start = await store({ redisUrl: redis.url });
    const [still, other] = [await start(), await start()];
    const { database } = still.context;
    const write = database.write.bind(database);
    const [wrote, goesOn] = [gate(), gate()];
    database.write = (fn) =>
      write(async (tx) => {
        const value = await fn(tx);
        wrote.open();
        await goesOn.opened;
        return value;
      });
    const checked = fetch(`${still.url}/ready`);
    try {
      await wrote.opened;
      expect((await fetch(`${other.url}/ready`)).status).toBe(200);
    } finally {
      database.write = write;
      goesOn.open();
    }
    await checked;
  });

  test('a Redis beside a file, or one that is not there, stops the start with a sentence', async () => {
    await expect(startServer({ redisUrl: redis.url })).rejects.toThrow(
      /redis_url is set but database_url is not/,
    );
    const start = await store();
    await expect(start({ redisUrl: 'redis://127.0.0.1:1' })).rejects.toThrow(
      /the Redis of redis_url cannot be reached: .*ECONNREFUSED/,
    );
    await expect(start({ redisUrl: 'http://x' })).rejects.toThrow(/redis_url begins with "http"/);
  });

  describe('that share a Redis', () => {
    // Stands still: what happens, happens by hints alone.
    const clock = new FakeClock();
    let nodes: readonly [TestServer, TestServer];
    let here: MessageClient;
    let there: MessageClient;
    beforeAll(async () => {
      const start = await store({ redisUrl: redis.url, clock });
      nodes = [await start(), await start()];
      here = await MessageClient.register(nodes[0]);
      there = new MessageClient(new People(nodes[1]), here.owner);
    });

    test('a poll parked at one is answered by what another accepts', async () => {
      await here.create({ slug: 'far' });
      const polled = there.inbox('far', { wait: 25 });
      await expect.poll(() => nodes[1].context.hub.waiters.parked).toBe(1);
      const { id } = await here.send('far');
      expect((await polled).messages).toMatchObject([{ id }]);
    });

    test('a key revoked at one is refused at another at once', async () => {
      const { body } = await here.call<{ id: string; api_key: string }>('POST', '/v1/keys', { body: {} });
      const asked = async () =>
        (await fetch(`${nodes[1].url}/v1/whoami`, { headers: { authorization: `Bearer ${body.api_key}` } }))
          .status;
      expect(await asked()).toBe(200);
      await here.call('DELETE', `/v1/keys/${body.id}`);
      await expect.poll(asked).toBe(401);
    });

    test('what is remembered at one is told on a stream at another', async () => {
      const { id: ownerId, key } = here.owner;
      const stream = await SseReader.open(nodes[1], '/v1/continuity/events', { key });
      const memory = new Memory(new People(nodes[0]), { id: ownerId, key });
      await memory.store('user', 'a');
      await stream.event('capsule');
      expect(stream.frames.map(({ data }) => data.subject_id)).toEqual(['a']);
      stream.close();
    });

    test('an agent that was seen at one is seen at another, before that is written', async () => {
      const agent = await here.create({ slug: 'seen' });
      expect((await there.read('seen')).body.last_seen_at).toBeNull();
      await clock.advance(1_000);
      nodes[0].context.delivery.agents.recipients.seen(agent.id.replace('agent_', ''));
      await expect
        .poll(async () => (await there.read('seen')).body.last_seen_at)
        .toBe(new Date(clock.now()).toISOString());
    });

    test('who is typing at one is seen at another, until they stop or the time is over', async () => {
      const { a, id } = await new RoomClient(nodes[0]).room();
      const seen = () =>
        nodes[1].context.rooms.service.typing.current(id).map(({ actor_id: actor }) => actor);
      await a.typing(id, { state: 'start', ttl_ms: 5_000 });
      await expect.poll(seen).toEqual([a.id]);
      await a.typing(id, { state: 'stop' });
      await expect.poll(seen).toEqual([]);
      await a.typing(id, { state: 'start', ttl_ms: 5_000 });
      await expect.poll(seen).toEqual([a.id]);
      await clock.advance(6_000);
      expect(seen()).toEqual([]);
    });

    test('a key revoked at one is refused at another within two seconds when every hint is lost', async () => {
      const { body } = await here.call<{ id: string; api_key: string }>('POST', '/v1/keys', { body: {} });
      const authorization = `Bearer ${body.api_key}`;
      const asked = async (node: TestServer) =>
        (await fetch(`${node.url}/v1/whoami`, { headers: { authorization } })).status;
      expect(await asked(nodes[1])).toBe(200);
      await redis.kill();
      await expect.poll(() => nodes[0].context.cluster.redis?.up).toBe(false);
      await here.call('DELETE', `/v1/keys/${body.id}`);
      expect(await asked(nodes[0])).toBe(401);
      await clock.advance(2_000);
      expect(await asked(nodes[1])).toBe(401);
      await redis.startAgain();
    });

    test('open streams of a key that was revoked at another end with the next look, and pages read again, when every hint is lost', async () => {
      await expect.poll(() => nodes[1].context.cluster.redis?.up).toBe(true);
      const { body } = await here.call<{ id: string; api_key: string }>('POST', '/v1/keys', { body: {} });
      const revoked = await SseReader.open(nodes[1], '/v1/continuity/events', { key: body.api_key });
      const stays = await SseReader.open(nodes[1], '/v1/continuity/events', { key: here.owner.key });
      const person = await PersonClient.signIn(nodes[1], { api_key: here.owner.key });
      const page = await SseReader.open(nodes[1], '/v1/console/stream', {
        headers: { cookie: person.cookie },
      });
      const kinds = () => page.frames.flatMap(({ data }) => (data as { kinds: string[] }).kinds);
      await page.until(({ text }) => text.includes('retry'));
      await redis.kill();
      await expect.poll(() => nodes[1].context.cluster.redis?.up).toBe(false);
      await here.call('DELETE', `/v1/keys/${body.id}`);
      expect(kinds()).not.toContain('all');
      await clock.advance(5_000);
      await expect.poll(() => revoked.over).toBe(true);
      await clock.advance(100);
      await expect.poll(kinds).toContain('all');
      expect([stays.over, page.over]).toEqual([false, false]);
      for (const stream of [stays, page]) stream.close();
      await redis.startAgain();
    });
  });
});
