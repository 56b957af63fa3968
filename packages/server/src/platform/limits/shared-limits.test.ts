import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis } from '../../testing/redis.ts';
import { Health } from '../health.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import type { SharedRedis } from '../redis/shared-redis.ts';
import { type TestSharedRedis, testSharedRedis } from '../redis/testing/shared-redis.ts';
import { Limits } from './limits.ts';
import { SharedLimits } from './shared-limits.ts';

const missing = missingRedis();

describe.skipIf(missing)(`limits over nodes${missing ? ` (not available: ${missing})` : ''}`, () => {
  let running: TestSharedRedis;
  let redis: SharedRedis;
  beforeAll(async () => {
    running = await testSharedRedis();
    redis = await running.connect();
  });
  afterAll(() => running.stop());

  function node(nodes: number) {
    const clock = new FakeClock();
    const health = new Health(clock);
    const metrics = new Metrics();
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const log = createLog({ level: 'info', secretPrefixes: [], stream });
    const shared = new SharedLimits({ redis, clock, health, metrics, log, nodes: () => nodes });
    const limits = new Limits({ clock, enabled: true, shared });
    const calls = limits.slidingWindow('calls', { limit: 6, windowMs: 60_000, setting: 'CALLS' });
    const joins = limits.tokenBucket('joins', { capacity: 6, periodMs: 60_000, setting: 'JOINS' });
    return { health, metrics, log, lines, calls, joins };
  }

  const passed = async (limiter: ReturnType<typeof node>['calls'], key: string): Promise<number> => {
    const verdicts = await Promise.all(Array.from({ length: 20 }, async () => limiter.take(key)));
    return verdicts.filter(({ ok }) => ok).length;
  };

  test('two nodes together let through what one would, however they race', async () => {
    const [one, other] = [node(2), node(2)];
    for (const kind of ['calls', 'joins'] as const) {
      const [here, there] = await Promise.all([passed(one[kind], 'agent'), passed(other[kind], 'agent')]);
      expect(here + there).toBe(6);
      expect(await other[kind].peek('agent')).toMatchObject({
        ok: false,
        told: expect.stringContaining('6'),
      });
    }
  });

  test('Redis away: each allows its share and says so; Redis back: all count together again', async () => {
    const { calls, joins, health, metrics, log, lines } = node(3);
    expect(health.document()).toMatchObject({ limits: 'shared' });
    await running.server.kill();
    await expect.poll(() => redis.up).toBe(false);
    expect(await passed(calls, 'bo')).toBe(2);
    expect(await passed(joins, 'bo')).toBe(2);
    expect(await calls.standing?.('bo')).toMatchObject({ limit: 2, remaining: 0 });
    expect(health.document()).toMatchObject({ limits: 'per_node' });
    expect(await metrics.text()).toMatch(/parley_limits_shared 0\n[^]*parley_limits_per_node_total 41\n/);
    log.flush();
    expect(lines.filter((line) => line.includes('limits_per_node'))).toHaveLength(1);
    await running.server.startAgain();
    await expect.poll(() => redis.up).toBe(true);
    expect(await passed(calls, 'bo')).toBe(6);
    expect(await passed(joins, 'bo')).toBe(6);
    expect(health.document()).toMatchObject({ limits: 'shared' });
  });
});
