import { afterAll, beforeAll, describe } from 'vitest';
import { missingRedis } from '../../../testing/redis.ts';
import type { SharedRedis } from '../../redis/shared-redis.ts';
import { type TestSharedRedis, testSharedRedis } from '../../redis/testing/shared-redis.ts';
import type { Clock } from '../../clock.ts';
import { Health } from '../../health.ts';
import { createLog } from '../../log.ts';
import { Metrics } from '../../metrics.ts';
import type { Limiter } from '../limiter.ts';
import { type SharedKind, SharedLimits } from '../shared-limits.ts';

/** One that counts in Redis; undefined where the suite runs in memory. */
export type SharedLimiter = (clock: Clock, kind: SharedKind) => Limiter | undefined;

/** The same suite on limiters in memory and on those that nodes share. */
export function describeEachCount(name: string, suite: (shared: SharedLimiter) => void): void {
  describe(`${name} in memory and in Redis: memory`, () => suite(() => undefined));
  const missing = missingRedis();
  describe.skipIf(missing)(`${name} in memory and in Redis: Redis${missing ? ` (${missing})` : ''}`, () => {
    let running: TestSharedRedis;
    let redis: SharedRedis;
    let limiters = 0;
    beforeAll(async () => {
      running = await testSharedRedis();
      redis = await running.connect();
    });
    afterAll(() => running.stop());
    suite((clock, kind) => {
      const health = new Health(clock);
      const log = createLog({ level: 'error', secretPrefixes: [] });
      const metrics = new Metrics();
      const limits = new SharedLimits({ redis, clock, health, log, metrics, node: 'one', others: () => [] });
      return limits.limiter(`suite ${++limiters}`, kind);
    });
  });
}
