import { readFileSync } from 'node:fs';
import { type Cluster, Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { missingRedis, startRedis } from '../../testing/redis.ts';
import { redisConnection } from './connection.ts';
import { processOf, startRedisCluster } from './testing/redis-cluster.ts';

const missing = missingRedis();

test.each([
  ['http://127.0.0.1:6379', 'begins with "http"'],
  ['127.0.0.1:6379', 'begins with ""'],
  ['redis://', 'begins with ""'],
  ['redis://a b:6379:1', 'has the host "a b:6379:1"'],
  ['redis://h/zero', 'has the database "zero"'],
  ['redis+sentinel://a,b', 'names no master'],
  ['redis+cluster://a,b/1', 'names a database'],
  ['redis://h:65536', 'has the port 65536'],
  ['redis://:50%@h', 'has a user or a password that is not percent-encoded'],
  ['redis://:pa/ss@h', 'has a user or a password that is not percent-encoded'],
  ['rediss://h?cert=/x', 'asks for "cert"'],
  ['redis://h?ca=/x', 'names a "ca" and begins without TLS'],
  ['rediss://h?ca=/nowhere', 'names a "ca" that cannot be read (ENOENT'],
])('%s is refused: it %s', (url, why) => {
  expect(() => redisConnection(url)).toThrow(`redis_url ${why}`);
});

test.each([
  ['redis://h', { host: 'h', port: 6379, db: 0 }],
  ['redis://:p%40ss@h:7000/3', { host: 'h', port: 7000, db: 3, password: 'p@ss' }],
  ['redis://u:p@[::1]:7000', { host: '::1', port: 7000, username: 'u', password: 'p' }],
  ['rediss://h', { host: 'h', tls: {} }],
  ['rediss+sentinel://a/main', { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }],
  [
    'redis+sentinel://:p@a:1,b/main/2',
    {
      name: 'main',
      db: 2,
      password: 'p',
      sentinels: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26_379 },
      ],
    },
  ],
])('%s is understood', (url, expected) => {
  expect(redisConnection(url).options).toMatchObject(expected);
});

test('the hosts of a cluster are where it is asked for its shape', () => {
  expect(redisConnection('redis+cluster://a:1,b')).toMatchObject({
    isCluster: true,
    startupNodes: [
      { host: 'a', port: 1 },
      { host: 'b', port: 6379 },
    ],
  });
});

const again = 'what is listened to is listened to again, though the connection breaks as it is asked for';
test.skipIf(missing)(missing ? `${again} (not available: ${missing})` : again, async () => {
  const server = await startRedis();
  const [listening, sending] = [redisConnection(server.url) as Redis, redisConnection(server.url)];
  listening.on('error', () => {});
  const heard: string[] = [];
  listening.on('message', (_channel: string, message: string) => heard.push(message));
  await Promise.all([listening.connect(), sending.connect()]);
  for (const channel of ['news', 'weather', 'tides']) await listening.subscribe(channel);
  await listening.unsubscribe('tides');
  let breaks = 0;
  listening.prependListener('ready', () => {
    breaks += 1;
    if (breaks < 3) listening.stream.destroy();
  });
  listening.disconnect(true);
  await expect.poll(() => breaks).toBe(3);
  const listeners = (channel: string) => sending.publish(channel, `of ${channel}`);
  await expect.poll(() => listeners('news')).toBe(1);
  expect([await listeners('weather'), await listeners('tides')]).toEqual([1, 0]);
  await expect.poll(() => heard.toSorted()).toEqual(['of news', 'of weather']);
  listening.disconnect();
  sending.disconnect();
  await server.stop();
});

/** `T`: stopped. */
const stateOf = (id: number): string | undefined =>
  /\) (\S)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))?.[1];

const once = 'what a Redis Cluster may have done before its connection broke is not sent again';
test.skipIf(missing)(missing ? `${once} (not available: ${missing})` : once, async () => {
  const cluster = await startRedisCluster();
  const connection = redisConnection(cluster.url) as Cluster;
  connection.on('error', () => {});
  await connection.connect();
  await connection.set('count', 0);
  const admins = cluster.masters.map(({ url }) => new Redis(url));
  const processes = await Promise.all(admins.map(processOf));
  // Both stand still for a while, and then do what they were sent.
  for (const id of processes) process.kill(id, 'SIGSTOP');
  await expect.poll(() => processes.map(stateOf)).toEqual(['T', 'T']);
  const counted = connection.incr('count').catch(String);
  await new Promise((resolve) => void setImmediate(resolve));
  const connected = connection.nodes('master').filter(({ status }) => status === 'ready');
  for (const node of connected) node.stream.destroy();
  expect(await counted).toContain('Connection is closed');
  for (const id of processes) process.kill(id, 'SIGCONT');
  // Who is answered asks again only after what was sent before.
  await Promise.all(admins.map((admin) => admin.ping()));
  const counts = await Promise.all(admins.map((admin) => admin.get('count').catch(() => null)));
  expect(counts.filter((count) => count !== null)).toEqual(['1']);
  for (const admin of admins) admin.disconnect();
  connection.disconnect();
  await cluster.stop();
});
