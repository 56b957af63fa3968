import { afterEach, describe, expect, test } from 'vitest';
import { testSharedRedis } from '../../platform/redis/testing/shared-redis.ts';
import { missingRedis } from '../../testing/redis.ts';
import { startServer } from '../../testing/start-server.ts';

const missing = missingRedis();
const title = 'a Redis that could write channels to a disk';

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  /** Starts a server on a Redis that runs so; `login` is what stands in its URL. */
  async function starting({ settings, login = '' }: { settings: readonly string[]; login?: string }) {
    const running = await testSharedRedis(settings);
    cleanups.push(() => running.stop());
    const redis = await running.connect('disk', running.server.url.replace('//', `//${login}`));
    return async (channelsStrict: boolean) => {
      const server = await startServer({ redis, channelsStrict });
      cleanups.push(() => server.close());
      return server.logs.map(({ event, reason }) => ({ event, reason }));
    };
  }

  test('as it appends to a file is told of, and refused where that is asked for', async () => {
    const start = await starting({ settings: ['--appendonly', 'yes'] });
    const reason = 'the Redis of redis_url appends to a file (appendonly)';
    expect(await start(false)).toContainEqual({ event: 'channels_may_reach_disk', reason });
    await expect(start(true)).rejects.toThrow(
      `${reason}, so sealed channels could reach a disk; set save ""`,
    );
  });

  test.each([
    ['has no CONFIG', { settings: ['--rename-command', 'CONFIG', ''] }],
    [
      'lets the user of the nodes ask for none',
      {
        settings: '--user node on >word ~* &* +@all -config'.split(' '),
        login: 'node:word@',
      },
    ],
  ])(
    'as far as can be known, because it %s, is told of, and refused where that is asked for',
    async (_why, redis) => {
      const start = await starting(redis);
      const reason = 'whether the Redis of redis_url keeps what it holds cannot be asked';
      const logs = await start(false);
      expect(logs).toContainEqual({ event: 'channels_may_reach_disk', reason });
      expect(logs).toContainEqual(expect.objectContaining({ event: 'redis_persistence_unknown' }));
      await expect(start(true)).rejects.toThrow(
        `${reason}, so sealed channels could reach a disk; set save ""`,
      );
    },
  );
});
