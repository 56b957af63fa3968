import { afterAll, beforeAll, describe } from 'vitest';
import { type TestSharedRedis, testSharedRedis } from '../../platform/redis/testing/shared-redis.ts';
import { missingRedis } from '../../testing/redis.ts';
import { startServer, type TestOptions, type TestServer } from '../../testing/start-server.ts';
import { twoNodesWanted } from '../../testing/two-nodes.ts';

/** A server whose channels are in the store the suite runs on. */
export type StartOnStore = (options?: TestOptions) => Promise<TestServer>;

/** The same suite on channels in memory and on channels in Redis. */
export function describeEachStore(name: string, suite: (startOn: StartOnStore) => void): void {
  if (twoNodesWanted({})) {
    describe(`${name} (Redis of two nodes)`, () => suite(startServer));
    return;
  }
  describe(`${name} (memory)`, () => suite(startServer));
  const missing = missingRedis();
  describe.skipIf(missing)(`${name} (Redis${missing ? ` is not available: ${missing}` : ''})`, () => {
    let running: TestSharedRedis;
    beforeAll(async () => {
      running = await testSharedRedis();
    });
    afterAll(() => running.stop());
    suite(async (options) => await startServer({ ...options, redis: await running.connect() }));
  });
}
