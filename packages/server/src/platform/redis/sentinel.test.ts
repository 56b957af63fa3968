import { describe, expect, test } from 'vitest';
import { missingRedis } from '../../testing/redis.ts';
import { systemClock } from '../clock.ts';
import { Health } from '../health.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import { SharedRedis } from './shared-redis.ts';
import { startRedisSentinel } from './testing/redis-sentinel.ts';
import { missingTlsRedis } from './testing/redis-tls.ts';

const missing = missingRedis();
const missingTls = missingTlsRedis();

const told = (why: string | undefined, title: string): string =>
  why === undefined ? title : `${title} (not available: ${why})`;

const open = (url: string): Promise<SharedRedis> =>
  SharedRedis.open({
    url,
    name: 'test',
    log: createLog({ level: 'error', secretPrefixes: [] }),
    health: new Health(systemClock),
    metrics: new Metrics(),
  });

describe.skipIf(missing)(told(missing, 'a Redis that sentinels look after'), () => {
  test('whose master dies is another one soon, for commands and for what is heard', async () => {
    const sentinel = await startRedisSentinel();
    const redis = await open(sentinel.url());
    try {
      const heard: string[] = [];
      redis.listening.on('message', (_from: string, message: string) => heard.push(message));
      await redis.listening.subscribe('news');
      await redis.commands.set('a', '1');
      await sentinel.master.kill();
      const write = () => redis.commands.set('b', '2').catch(String);
      await expect.poll(write, { timeout: 30_000 }).toBe('OK');
      await expect.poll(() => redis.up, { timeout: 30_000 }).toBe(true);
      await redis.commands.publish('news', 'from the next');
      await expect.poll(() => heard).toEqual(['from the next']);
    } finally {
      await redis.close();
      await sentinel.stop();
    }
  }, 60_000);

  test('under a name that they do not know is told of, not waited for', async () => {
    const sentinel = await startRedisSentinel();
    try {
      await expect(open(sentinel.url('other'))).rejects.toThrow(
        /the Redis of redis_url cannot be reached: .* No such master with that name/,
      );
    } finally {
      await sentinel.stop();
    }
  }, 60_000);
});

test.skipIf(missingTls)(
  told(missingTls, 'sentinels and the master that they name are spoken to by TLS'),
  async () => {
    const sentinel = await startRedisSentinel({ tls: true });
    const redis = await open(sentinel.url());
    try {
      expect(await redis.commands.set('a', '1')).toBe('OK');
    } finally {
      await redis.close();
      await sentinel.stop();
    }
  },
  60_000,
);
