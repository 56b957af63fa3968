import { startRedis, type TestRedis } from '../../../testing/redis.ts';
import { systemClock } from '../../clock.ts';
import { Health } from '../../health.ts';
import { createLog } from '../../log.ts';
import { Metrics } from '../../metrics.ts';
import { SharedRedis } from '../shared-redis.ts';

export interface TestSharedRedis {
  readonly server: TestRedis;
  /** The connections of a node. Those who give the same name share what they keep. */
  connect(name?: string, url?: string): Promise<SharedRedis>;
  stop(): Promise<void>;
}

/** A Redis that nodes connect to. */
export async function testSharedRedis(settings: readonly string[] = []): Promise<TestSharedRedis> {
  const server = await startRedis(settings);
  const opened: SharedRedis[] = [];
  return {
    server,
    async connect(name = `suite ${opened.length}`, url = server.url) {
      const log = createLog({ level: 'error', secretPrefixes: [] });
      const health = new Health(systemClock);
      const options = { url, name, log, health, metrics: new Metrics() };
      const redis = await SharedRedis.open(options);
      opened.push(redis);
      return redis;
    },
    async stop() {
      for (const redis of opened) await redis.close();
      await server.stop();
    },
  };
}
