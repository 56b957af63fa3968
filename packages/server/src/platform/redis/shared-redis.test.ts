import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis, startRedis, type TestRedis } from '../../testing/redis.ts';
import { TcpGate } from '../../testing/tcp-gate.ts';
import { systemClock } from '../clock.ts';
import { Health } from '../health.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import { SharedRedis } from './shared-redis.ts';
import { processOf, startRedisCluster, type TestRedisCluster } from './testing/redis-cluster.ts';

const missing = missingRedis();

async function startParts(): Promise<{ cluster: TestRedisCluster; shared: SharedRedis }> {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  const log = createLog({ level: 'error', secretPrefixes: [] });
  const options = { name: 'parts', log, health: new Health(systemClock), metrics: new Metrics() };
  const shared = await SharedRedis.open({ url: cluster.url, ...options });
  onTestFinished(() => shared.close());
  return { cluster, shared };
}

describe.skipIf(missing)(`the Redis of a cluster${missing ? ` (not available: ${missing})` : ''}`, () => {
  let server: TestRedis;
  let gate: TcpGate;
  let redis: SharedRedis;
  const health = new Health(systemClock);
  const metrics = new Metrics();
  beforeAll(async () => {
    server = await startRedis();
    gate = new TcpGate('127.0.0.1', server.port);
    const url = `redis://127.0.0.1:${await gate.open()}`;
    const log = createLog({ level: 'error', secretPrefixes: [] });
    redis = await SharedRedis.open({ url, name: 'test', log, health, metrics });
  });
  afterAll(async () => {
    await redis.close();
    await gate.close();
    await server.stop();
  });

  test('a process that stands still for a second or two does not take it for silent', async () => {
    const clock = new FakeClock();
    const log = createLog({ level: 'error', secretPrefixes: [] });
    const options = {
      name: 'still',
      log,
      health: new Health(systemClock),
      metrics: new Metrics(),
      realTime: clock,
    };
    const other = await SharedRedis.open({ url: server.url, ...options });
    let cuts = 0;
    other.commands.on('close', () => (cuts += 1));
    // Nothing is read meanwhile. Longer than it is asked for a sign: the question falls between two of these.
    const sockets = [other.commands, other.listening].map((connection) => (connection as Redis).stream);
    for (const socket of sockets) socket.pause();
    for (let still = 0; still < 4; still++) await clock.leap(1_100);
    for (const socket of sockets) socket.resume();
    expect(await other.commands.ping()).toBe('PONG');
    expect([cuts, other.up]).toEqual([0, true]);
    await other.close();
  });

  test('cut off without a word, what waits is refused, it is said, and it comes back by itself', async () => {
    gate.shut();
    await expect(redis.commands.echo('c')).rejects.toThrow();
    await expect.poll(() => health.document()).toMatchObject({ redis: 'away' });
    expect(await metrics.text()).toContain('parley_redis_up 0');
    await expect(redis.commands.echo('d')).rejects.toThrow();
    gate.lift();
    await expect.poll(() => health.document()).toMatchObject({ redis: 'ok' });
    expect(await redis.commands.echo('e')).toBe('e');
  }, 30_000);

  test('a server that lets it in and says nothing is not waited for when it is well again', async () => {
    gate.shut();
    const states = () => [redis.commands, redis.listening].map(({ status }) => status);
    await expect.poll(states).toEqual(['connect', 'connect']);
    gate.letOthersIn();
    await expect.poll(() => health.document()).toMatchObject({ redis: 'ok' });
    expect(await redis.commands.echo('f')).toBe('f');
  });

  describe('of which each server has a part', () => {
    test('one that stands still keeps nobody waiting, and is asked again when it goes on', async () => {
      const { cluster, shared } = await startParts();
      const [one] = cluster.masters;
      const keys = Array.from({ length: 20 }, (_, at) => `key ${at}`);
      const ask = () => Promise.allSettled(keys.map((key) => shared.commands.set(key, 'x')));
      const answered = async () => (await ask()).filter(({ status }) => status === 'fulfilled').length;
      expect(await answered()).toBe(20);
      const admin = new Redis(one.url);
      const id = await processOf(admin);
      admin.disconnect();
      process.kill(id, 'SIGSTOP');
      try {
        for (let round = 0; round < 3; round++) {
          const some = await answered();
          expect(some).toBeGreaterThan(0);
          expect(some).toBeLessThan(20);
        }
      } finally {
        process.kill(id, 'SIGCONT');
      }
      await expect.poll(answered).toBe(20);
      await expect.poll(() => shared.up).toBe(true);
    });

    test('what it listens over is changed when it falls silent', async () => {
      const { shared } = await startParts();
      const heard: string[] = [];
      shared.listening.on('message', (_channel, text) => heard.push(text));
      await shared.listening.subscribe('news');
      // The client shows nobody which connection it listens over.
      const { subscriber } = shared.listening as unknown as { subscriber: { getInstance(): Redis } };
      subscriber.getInstance().stream.pause();
      const tell = async () => {
        await shared.commands.publish('news', 'again').catch(() => {});
        return heard.length;
      };
      await expect.poll(tell).toBeGreaterThan(0);
      await expect.poll(() => shared.up).toBe(true);
    });
  });
});
