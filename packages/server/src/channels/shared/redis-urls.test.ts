import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { startRedisSentinel } from '../../platform/redis/testing/redis-sentinel.ts';
import { missingTlsRedis, startTlsRedis } from '../../platform/redis/testing/redis-tls.ts';
import { ChannelClient } from '../../testing/channel-client.ts';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { missingRedis } from '../../testing/redis.ts';
import { startServer, type TestOptions, type TestServer } from '../../testing/start-server.ts';

const missing = missingPostgres() ?? missingRedis();
const missingTls = missingPostgres() ?? missingTlsRedis();

const told = (why: string | undefined, title: string): string =>
  why === undefined ? title : `${title} (not available: ${why})`;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A node with three sends in an hour. */
async function serve(options: TestOptions): Promise<TestServer> {
  const place = await freshTables();
  cleanups.push(() => place.remove());
  const server = await startServer({
    databaseUrl: place.at.url,
    secretKey: '7'.repeat(64),
    channelsStrict: true,
    rlMessagesPerHour: 3,
    ...options,
  });
  cleanups.push(() => server.close());
  return server;
}

const health = async (server: TestServer) =>
  (await (await fetch(`${server.url}/health`)).json()) as Record<string, unknown>;

test.skipIf(missingTls)(
  told(missingTls, 'a node that speaks to its Redis by TLS serves channels and counts limits there'),
  async () => {
    const redis = await startTlsRedis();
    cleanups.push(() => redis.stop());
    await expect(serve({ redisUrl: redis.unproven })).rejects.toThrow(
      /the Redis of redis_url cannot be reached: .*certificate/,
    );
    const server = await serve({ redisUrl: redis.url });
    const { a, b } = await new ChannelClient(server).pair();
    const polled = b.poll({ since: 2 });
    await a.channel.client.parked(1);
    for (let index = 2; index < 5; index++)
      expect((await a.send(`m${index}`)).body).toEqual({ ok: true, index });
    expect((await polled).body.messages[0]).toMatchObject({ from: 'a', text: 'm2' });
    expect((await b.poll({ since: 2 })).body.messages).toHaveLength(3);
    expect(await a.send('too many')).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(await health(server)).toMatchObject({ redis: 'ok', limits: 'shared' });
  },
  60_000,
);

test.skipIf(missing)(
  told(
    missing,
    'a node goes on with channels and limits where sentinels put a replica in the place of its master',
  ),
  async () => {
    const sentinel = await startRedisSentinel();
    cleanups.push(() => sentinel.stop());
    const server = await serve({ redisUrl: sentinel.url() });
    const { a, b, channel } = await new ChannelClient(server).pair();
    expect((await a.send('before')).body).toEqual({ ok: true, index: 2 });
    const polled = b.poll({ since: 3 });
    await channel.client.parked(1);
    const admin = new Redis(sentinel.master.url);
    // What has not reached the replica is lost with the master.
    await expect.poll(() => admin.wait(1, 5_000)).toBe(1);
    admin.disconnect();
    await sentinel.master.kill();
    await expect.poll(() => health(server)).toMatchObject({ redis: 'away' });
    expect(await a.poll({ since: 2 })).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await expect.poll(() => health(server)).toMatchObject({ redis: 'ok' });
    expect((await a.send('after')).body).toEqual({ ok: true, index: 3 });
    expect((await polled).body.messages).toMatchObject([{ from: 'a', index: 3, text: 'after' }]);
    expect((await b.send('the third')).body).toEqual({ ok: true, index: 4 });
    expect(await a.send('too many')).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    const texts = ['before', 'after', 'the third'].map((text) => ({ text }));
    expect((await a.poll({ since: 2 })).body.messages).toMatchObject(texts);
    expect((await channel.client.pair()).a.id).not.toBe(a.id);
  },
  60_000,
);
