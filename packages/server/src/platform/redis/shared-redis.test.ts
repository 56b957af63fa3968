import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis, startRedis, type TestRedis } from '../../testing/redis.ts';
import { TcpGate } from '../../testing/tcp-gate.ts';
import { systemClock } from '../clock.ts';
import { Health } from '../health.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import { SharedRedis } from './shared-redis.ts';

const missing = missingRedis();

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
});
