import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis, startRedis } from '../../testing/redis.ts';
import { systemClock } from '../clock.ts';
import { redisConnection } from './connection.ts';
import { RedisLibrary } from './library.ts';
import type { SharedRedis } from './shared-redis.ts';
import { startRedisCluster } from './testing/redis-cluster.ts';
import { type TestSharedRedis, testSharedRedis } from './testing/shared-redis.ts';

const missing = missingRedis();

/** Answers the time, and in one string what it is called, the key and the argument. */
const library = (called: string) =>
  new RedisLibrary({
    name: 'test',
    shared: 'local told',
    each: `told = '${called} '`,
    functions: {
      say: "told = told .. KEYS[1] .. ' ' .. ARGV[2] return { now, told }",
      keep: "return redis.call('SET', KEYS[1], ARGV[2])",
      free: "return redis.call('DEL', KEYS[1])",
    },
    freeing: ['free'],
  });

describe.skipIf(missing)(`functions in Redis${missing ? ` (not available: ${missing})` : ''}`, () => {
  let running: TestSharedRedis;
  let redis: SharedRedis;
  beforeAll(async () => {
    running = await testSharedRedis();
    redis = await running.connect();
  });
  afterAll(() => running.stop());

  const say = (from: RedisLibrary<'say'>, word: string, clock = systemClock): Promise<unknown> =>
    from.run(redis.commands, clock, 'say', 'key', [word]);
  const names = async (): Promise<string[]> => {
    const listed = (await redis.commands.call(
      'FUNCTION',
      'LIST',
      'LIBRARYNAME',
      'parley_test_*',
    )) as string[][];
    return listed.map((one) => one[1] ?? '');
  };

  test('go by the clock of Redis, or by that of a test', async () => {
    const mine = library('mine');
    await mine.load(redis.commands);
    const [time] = (await say(mine, 'a')) as [number, string];
    expect(Math.abs(time - systemClock.now())).toBeLessThan(60_000);
    const clock = new FakeClock();
    expect(await say(mine, 'b', clock)).toEqual([clock.now(), 'mine key b']);
  });

  test('are told again to a Redis that has forgotten them, however many calls find that out', async () => {
    const mine = library('mine');
    await mine.load(redis.commands);
    await redis.commands.call('FUNCTION', 'FLUSH');
    const words = Array.from({ length: 50 }, (_, at) => `word ${at}`);
    const told = (await Promise.all(words.map((word) => say(mine, word)))) as [number, string][];
    expect(told.map(([, what]) => what)).toEqual(words.map((word) => `mine key ${word}`));
    expect(await names()).toHaveLength(1);
  });

  test('are told again after a restart', async () => {
    const mine = library('mine');
    await mine.load(redis.commands);
    await running.server.kill();
    await expect(say(mine, 'away')).rejects.toThrow();
    await running.server.startAgain();
    await expect.poll(() => redis.up).toBe(true);
    expect(await say(mine, 'back')).toMatchObject([expect.any(Number), 'mine key back']);
  });

  test('of two versions stand side by side, and nodes that load at the same time do not disturb each other', async () => {
    await redis.commands.call('FUNCTION', 'FLUSH');
    const [before, after] = [library('before'), library('after')];
    const nodes = await Promise.all(Array.from({ length: 6 }, () => running.connect('rolling')));
    await Promise.all(
      nodes.map(async ({ commands }, at) => {
        const own = at % 2 === 0 ? before : after;
        const called = at % 2 === 0 ? 'before' : 'after';
        await own.load(commands);
        for (let turn = 0; turn < 20; turn++) {
          const args = [`turn ${turn}`];
          const [, told] = (await own.run(commands, systemClock, 'say', 'key', args)) as [number, string];
          expect(told).toBe(`${called} key turn ${turn}`);
        }
      }),
    );
    expect(new Set(await names()).size).toBe(2);
    // The same text from another node is no third.
    await library('after').load(redis.commands);
    expect(await names()).toHaveLength(2);
  });

  test('that make room run in a Redis that has none left', async () => {
    const mine = library('mine');
    const run = (what: 'keep' | 'free'): Promise<unknown> =>
      mine.run(redis.commands, systemClock, what, 'full', ['word']);
    expect(await run('keep')).toBe('OK');
    await redis.commands.config('SET', 'maxmemory', '1mb');
    await expect(run('keep')).rejects.toThrow('OOM');
    expect(await run('free')).toBe(1);
    await redis.commands.config('SET', 'maxmemory', '0');
  });

  test('are on every master of a Redis Cluster, also when one has forgotten them', async () => {
    const cluster = await startRedisCluster();
    const commands = redisConnection(cluster.url);
    await commands.connect();
    const mine = library('mine');
    const everywhere = async (word: string): Promise<unknown[]> => {
      const keys = Array.from({ length: 20 }, (_, at) => `{${at}}`);
      const told = await Promise.all(keys.map((key) => mine.run(commands, systemClock, 'say', key, [word])));
      return (told as [number, string][]).map(([, what], at) => what === `mine {${at}} ${word}`);
    };
    try {
      await mine.load(commands);
      expect(new Set(await everywhere('a'))).toEqual(new Set([true]));
      const other = new Redis(cluster.masters[1].url);
      await other.call('FUNCTION', 'FLUSH');
      expect(new Set(await everywhere('b'))).toEqual(new Set([true]));
      expect(await other.call('FUNCTION', 'LIST')).toHaveLength(1);
      other.disconnect();
    } finally {
      commands.disconnect();
      await cluster.stop();
    }
  });

  test('are refused in one sentence by a Redis that is too old to have any', async () => {
    const old = await startRedis(['--rename-command', 'FUNCTION', '']);
    const commands = redisConnection(old.url);
    await commands.connect();
    await expect(library('mine').load(commands)).rejects.toThrow(
      'the Redis of redis_url is too old: 7.0 or later is needed, which knows FUNCTION',
    );
    commands.disconnect();
    await old.stop();
  });
});
