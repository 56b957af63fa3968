import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis } from '../../testing/redis.ts';
import { Health } from '../health.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import type { SharedRedis } from '../redis/shared-redis.ts';
import { startRedisCluster } from '../redis/testing/redis-cluster.ts';
import { type TestSharedRedis, testSharedRedis } from '../redis/testing/shared-redis.ts';
import { LIMITS } from './library.ts';
import { Limits } from './limits.ts';
import type { Slots } from './slots.ts';
import { SharedLimits } from './shared-limits.ts';

const missing = missingRedis();

const passed = async (limiter: Pick<Slots, 'take'>, key: string): Promise<number> => {
  const verdicts = await Promise.all(Array.from({ length: 20 }, async () => limiter.take(key)));
  return verdicts.filter(({ ok }) => ok).length;
};

describe.skipIf(missing)(`limits over nodes${missing ? ` (not available: ${missing})` : ''}`, () => {
  let running: TestSharedRedis;
  let redis: SharedRedis;
  beforeAll(async () => {
    running = await testSharedRedis();
    redis = await running.connect();
  });
  afterAll(() => running.stop());

  function node(nodes: number, { name = 'this', others = [] as string[], on = redis } = {}) {
    const clock = new FakeClock();
    const health = new Health(clock);
    const metrics = new Metrics();
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const log = createLog({ level: 'info', secretPrefixes: [], stream });
    const known = (): string[] => [
      ...others,
      ...Array.from({ length: nodes - 1 - others.length }, (_, at) => `silent ${at}`),
    ];
    const shared = new SharedLimits({ redis: on, clock, health, metrics, log, node: name, others: known });
    const limits = new Limits({ clock, enabled: true, shared });
    const calls = limits.slidingWindow('calls', { limit: 6, windowMs: 60_000, setting: 'CALLS' });
    const joins = limits.tokenBucket('joins', { capacity: 6, periodMs: 60_000, setting: 'JOINS' });
    const streams = limits.slots('streams', { limit: 6, setting: 'STREAMS' });
    return { clock, health, metrics, log, lines, calls, joins, streams };
  }

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
    const { calls, joins, streams, health, metrics, log, lines } = node(3);
    expect(health.document()).toMatchObject({ limits: 'shared' });
    await running.server.kill();
    await expect.poll(() => redis.up).toBe(false);
    expect(await passed(calls, 'bo')).toBe(2);
    expect(await passed(joins, 'bo')).toBe(2);
    expect(await calls.standing?.('bo')).toMatchObject({ limit: 2, remaining: 0 });
    expect(await passed(streams, 'bo')).toBe(2);
    expect(health.document()).toMatchObject({ limits: 'per_node' });
    expect(await metrics.text()).toMatch(/parley_limits_shared 0\n[^]*parley_limits_per_node_total 61\n/);
    log.flush();
    expect(lines.filter((line) => line.includes('limits_per_node'))).toHaveLength(1);
    await running.server.startAgain();
    await expect.poll(() => redis.up).toBe(true);
    expect(await passed(calls, 'bo')).toBe(6);
    expect(await passed(joins, 'bo')).toBe(6);
    expect(health.document()).toMatchObject({ limits: 'shared' });
    // What was taken meanwhile counts.
    expect(await passed(streams, 'bo')).toBe(4);
  });

  test('Redis away once more: that is said again, and a share allowed an hour before is allowed anew', async () => {
    const { clock, calls, log, lines } = node(3);
    const outages = (): number => {
      log.flush();
      return lines.filter((line) => line.includes('limits_per_node')).length;
    };
    const away = async (expected: { passed: number; said: number }): Promise<void> => {
      await running.server.kill();
      await expect.poll(() => redis.up).toBe(false);
      expect({ passed: await passed(calls, 'flo'), said: outages() }).toEqual(expected);
      await running.server.startAgain();
      await expect.poll(() => redis.up).toBe(true);
      expect((await calls.take('flo')).ok).toBe(true);
    };
    await away({ passed: 2, said: 1 });
    await clock.advance(11_000);
    // Its window is a minute.
    await away({ passed: 0, said: 2 });
    await clock.advance(3_700_000);
    await calls.peek('flo');
    await away({ passed: 2, said: 3 });
  });

  test('one server of a Redis Cluster away: what it counted a node counts itself, and does not begin anew when another answers', async () => {
    const cluster = await startRedisCluster();
    const on = await running.connect('halved', cluster.url);
    await LIMITS.load(on.commands);
    const { calls, lines, log } = node(1, { on });
    await cluster.masters[1].kill();
    const keys = Array.from({ length: 20 }, (_, at) => `key ${at}`);
    const passes: string[] = [];
    for (let round = 0; round < 12; round++) {
      for (const key of keys) if ((await calls.take(key)).ok) passes.push(key);
    }
    expect(passes.toSorted()).toEqual(keys.flatMap((key) => Array<string>(6).fill(key)).toSorted());
    log.flush();
    expect(lines.filter((line) => line.includes('limits_per_node'))).toHaveLength(1);
    await on.close();
    await cluster.stop();
  });

  test('slots are counted over all nodes, and given back by each', async () => {
    const one = node(2, { name: 'one', others: ['other'] });
    const other = node(2, { name: 'other', others: ['one'] });
    const [here, there] = await Promise.all([passed(one.streams, 'al'), passed(other.streams, 'al')]);
    expect(here + there).toBe(6);
    expect(await one.streams.take('al')).toEqual({
      ok: false,
      retryAfterSec: 3,
      told: 'At most 6 at a time (STREAMS).',
    });
    expect(await other.streams.take('else')).toEqual({ ok: true });
    for (let given = 0; given < here; given++) one.streams.release('al');
    for (let given = 0; given < there; given++) other.streams.release('al');
    expect(await passed(other.streams, 'al')).toBe(6);
    expect(await passed(one.streams, 'al')).toBe(0);
    // A node that is gone holds nothing.
    expect(await passed(node(1, { name: 'third' }).streams, 'al')).toBe(6);
  });

  test('slots given back while Redis is away are free when it is back', async () => {
    const one = node(2, { name: 'one', others: ['other'] });
    const other = node(2, { name: 'other', others: ['one'] });
    expect(await passed(one.streams, 'cy')).toBe(6);
    redis.commands.disconnect(true);
    await expect.poll(() => redis.up).toBe(false);
    for (let given = 0; given < 6; given++) one.streams.release('cy');
    await expect.poll(() => redis.up).toBe(true);
    await expect.poll(() => passed(other.streams, 'cy')).toBe(6);
  });

  test('slots held before a restart of Redis count after it', async () => {
    const one = node(2, { name: 'one', others: ['other'] });
    const other = node(2, { name: 'other', others: ['one'] });
    for (let taken = 0; taken < 6; taken++) expect(await one.streams.take('di')).toEqual({ ok: true });
    await running.server.kill();
    await expect.poll(() => redis.up).toBe(false);
    await running.server.startAgain();
    await expect.poll(() => redis.up).toBe(true);
    // One that was told first may have let some in before.
    await expect
      .poll(async () => {
        const { ok } = await other.streams.take('di');
        if (ok) other.streams.release('di');
        return ok;
      })
      .toBe(false);
  });
});
