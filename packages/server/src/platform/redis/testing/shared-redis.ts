import { startRedis, type TestRedis } from '../../../testing/redis.ts';
import { systemClock } from '../../clock.ts';
import { Health } from '../../health.ts';
import { createLog } from '../../log.ts';
import { Metrics } from '../../metrics.ts';
import { SharedRedis } from '../shared-redis.ts';

export interface TestSharedRedis {
  readonly server: TestRedis;
  readonly redis: SharedRedis;
  stop(): Promise<void>;
}

/** A Redis and one node's connections to it. */
export async function testSharedRedis(): Promise<TestSharedRedis> {
  const server = await startRedis();
  const log = createLog({ level: 'error', secretPrefixes: [] });
  const clock = systemClock;
  const options = { url: server.url, name: 'test', clock, log, health: new Health(clock) };
  const redis = await SharedRedis.open({ ...options, metrics: new Metrics() });
  return {
    server,
    redis,
    async stop() {
      await redis.close();
      await server.stop();
    },
  };
}
