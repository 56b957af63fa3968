import { describe, expect, onTestFinished, test } from 'vitest';
import { testSharedRedis } from '../../platform/redis/testing/shared-redis.ts';
import { missingRedis } from '../../testing/redis.ts';
import { startServer } from '../../testing/start-server.ts';

const missing = missingRedis();
const title = 'a Redis whose memory may be full';

const policy = (name: string) => ['--maxmemory', '64mb', '--maxmemory-policy', name];
const evicts = (name: string) => ({
  event: 'channels_may_lose_parts',
  reason: `the Redis of redis_url throws keys away when its memory is full (maxmemory-policy ${name}); set noeviction there`,
});

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  test.each([
    ['throws away what was not used for long', policy('allkeys-lru'), [evicts('allkeys-lru')]],
    ['throws away what expires soon', policy('volatile-ttl'), [evicts('volatile-ttl')]],
    ['refuses what is new', policy('noeviction'), []],
    ['has no bound, whatever it would do at one', ['--maxmemory-policy', 'allkeys-lru'], []],
    [
      'does not let the nodes ask',
      '--user node on >word ~* &* +@all -info'.split(' '),
      [{ event: 'redis_eviction_unknown', reason: undefined }],
      'node:word@',
    ],
  ])('it %s', async (_what, settings, expected, login = '') => {
    const running = await testSharedRedis(settings);
    onTestFinished(() => running.stop());
    const redis = await running.connect('full', running.server.url.replace('//', `//${login}`));
    const server = await startServer({ redis });
    onTestFinished(() => server.close());
    const told = server.logs.filter(
      ({ event }) => event === 'channels_may_lose_parts' || event === 'redis_eviction_unknown',
    );
    expect(told.map(({ event, reason }) => ({ event, reason }))).toEqual(expected);
  });
});
