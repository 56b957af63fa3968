import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis, startRedis, type TestRedis } from '../../testing/redis.ts';
import { redisConnection } from '../redis/connection.ts';
import { RedisBus } from './redis-bus.ts';

const missing = missingRedis();

describe.skipIf(missing)(missing ? `Redis bus (not available: ${missing})` : 'Redis bus', () => {
  let redis: TestRedis;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  async function node(name: string, channel = 'parley:one:bus') {
    const clock = new FakeClock();
    const connect = async () => {
      const connection = redisConnection(redis.url);
      connection.on('error', () => {});
      await connection.connect();
      closing.push(async () => connection.disconnect());
      return connection;
    };
    const errors: string[] = [];
    const onError = (error: unknown, subject: string): void =>
      void errors.push(`${subject}: ${String(error)}`);
    const listening = await connect();
    const bus = new RedisBus({ listening, sending: await connect(), channel, node: name, clock, onError });
    closing.push(() => bus.close());
    await bus.start();
    const heard: string[] = [];
    let gaps = 0;
    bus.onGap(() => (gaps += 1));
    return {
      bus,
      clock,
      errors,
      heard,
      listening,
      gaps: () => gaps,
      listen: (subject: string) => bus.subscribe(subject, (hint) => heard.push(`${subject} ${hint}`)),
    };
  }

  test('every node hears every hint once, in the order of its publisher', async () => {
    const [a, b] = [await node('a'), await node('b')];
    for (const each of [a, b]) {
      each.listen('rooms');
      each.listen('jobs');
    }
    a.bus.publish('rooms', '1');
    a.bus.publish('jobs');
    a.bus.publish('rooms', '2 with spaces');
    const all = ['rooms 1', 'jobs ', 'rooms 2 with spaces'];
    await expect.poll(() => b.heard).toEqual(all);
    expect(a.heard).toEqual(all);
    b.bus.publish('jobs', 'back');
    await expect.poll(() => a.heard).toEqual([...all, 'jobs back']);
    expect(b.heard).toEqual([...all, 'jobs back']);
  });

  test('another cluster on the same Redis hears nothing', async () => {
    const [a, other, b] = [await node('a'), await node('a2', 'parley:two:bus'), await node('b')];
    for (const each of [other, b]) each.listen('rooms');
    a.bus.publish('rooms', '1');
    await expect.poll(() => b.heard).toEqual(['rooms 1']);
    expect(other.heard).toEqual([]);
  });

  test('a message that is none of ours is told, and the next is heard', async () => {
    const [a, b] = [await node('a'), await node('b')];
    b.listen('rooms');
    const stranger = redisConnection(redis.url);
    await stranger.connect();
    await stranger.publish('parley:one:bus', 'not json');
    stranger.disconnect();
    a.bus.publish('rooms', 'after');
    await expect.poll(() => b.heard).toEqual(['rooms after']);
    expect(b.errors).toEqual([expect.stringContaining('parley:one:bus: SyntaxError')]);
  });

  test('those who wait are told to look every five seconds, and when Redis is back', async () => {
    const [a, b] = [await node('a'), await node('b')];
    b.listen('rooms');
    expect(b.gaps()).toBe(0);
    await b.clock.advance(5_000);
    expect(b.gaps()).toBe(1);
    await b.clock.advance(10_000);
    expect(b.gaps()).toBe(3);
    await redis.kill();
    // Heard here at once, and nowhere else.
    a.listen('rooms');
    a.bus.publish('rooms', 'lost');
    await expect.poll(() => a.heard).toEqual(['rooms lost']);
    await redis.startAgain();
    await expect.poll(() => b.gaps()).toBe(4);
    await expect
      .poll(() => {
        a.bus.publish('rooms', 'found');
        return b.heard;
      })
      .toContain('rooms found');
    expect(b.heard).not.toContain('rooms lost');
  });
});
