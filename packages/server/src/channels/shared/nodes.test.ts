import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedisCluster } from '../../platform/redis/testing/redis-cluster.ts';
import { type TestSharedRedis, testSharedRedis } from '../../platform/redis/testing/shared-redis.ts';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';
import { ChannelClient, Channel, Peer } from '../../testing/channel-client.ts';
import { freshTables } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis, startRedis } from '../../testing/redis.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { startServer, type TestOptions, type TestServer } from '../../testing/start-server.ts';
import { TcpGate } from '../../testing/tcp-gate.ts';

const missing = missingRedis();
const PARKED = 'agentalk_polls_parked';

/** An open stream of a participant. */
const follow = (peer: Peer, since: number): Promise<SseReader> =>
  SseReader.open(peer.channel.client, `${peer.channel.path}/events?since=${since}`, {
    key: peer.channel.token,
    headers: { 'x-participant-id': peer.id },
  });

const held = async (client: ChannelClient) => await client.metric('agentalk_retained_bytes');

describe.skipIf(missing)(`channels over nodes${missing ? ` (not available: ${missing})` : ''}`, () => {
  let running: TestSharedRedis;
  const cleanups: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    running = await testSharedRedis();
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    await running.stop();
  });

  let groups = 0;

  /** Two nodes of their own, and a channel that both serve. */
  async function pair(options: TestOptions = {}, connect = (name: string) => running.connect(name)) {
    const name = `group ${++groups}`;
    const connections: SharedRedis[] = [];
    const start = async (): Promise<TestServer> => {
      const redis = await connect(name);
      connections.push(redis);
      const server = await startServer({ rateLimits: false, ...options, redis });
      cleanups.push(() => server.close());
      return server;
    };
    const [one, two] = [await start(), await start()];
    const [here, there] = [new ChannelClient(one), new ChannelClient(two)];
    const channel = await here.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    const far = new Channel(there, channel.id, channel.token);
    const moved = (peer: Peer): Peer => new Peer(far, peer.name, peer.id, peer.cursor);
    return { one, two, here, there, channel, far, a, b, moved, connections };
  }

  // The clock stands still: what happens, happens by what the nodes tell each other.
  test('a poll parked at one is answered by what another accepts, with the same bytes', async () => {
    const { a, b, moved, there } = await pair({ clock: new FakeClock() });
    const polled = [moved(b).poll({ since: 2 }), moved(a).poll({ since: 2 })];
    await there.parked(2);
    expect((await a.send('hello "you" é')).body).toEqual({ ok: true, index: 2 });
    const [first, second] = await Promise.all(polled);
    expect(first?.text).toBe(second?.text);
    expect(first?.text).toBe((await b.poll({ since: 2 })).text);
    expect(first?.body.messages).toMatchObject([
      { type: 'message', from: 'a', index: 2, text: 'hello "you" é' },
    ]);
    await there.parked(0);
  });

  test('every node lists what all of them hold, without a text or a token', async () => {
    const { one, two, channel, a, b } = await pair({ clock: new FakeClock() });
    await a.send('sealed words');
    for (const { context } of [one, two]) {
      const [listed, ...others] = await context.channels.listing(10);
      expect(others).toEqual([]);
      expect(listed).toMatchObject({ id: channel.id, state: 'awake', messages: 1, bytes: 12, listeners: 0 });
      expect(listed?.participants.map(({ name }) => name)).toEqual(['a', 'b']);
      const text = JSON.stringify(listed);
      for (const secret of ['sealed words', channel.token, a.id, b.id]) expect(text).not.toContain(secret);
    }
  });

  test('sends at both keep one gapless order, and a repeated one is stored once wherever it is repeated', async () => {
    const { a, b, moved } = await pair();
    const sends = Array.from({ length: 60 }, (_, at) =>
      (at % 2 === 0 ? a : moved(b)).send(`m${at}`, { client_id: `c${at % 50}` }),
    );
    const indexes = (await Promise.all(sends)).map(({ body }) => body.index);
    expect(new Set(indexes).size).toBe(50);
    const [near, far] = [await a.poll({ since: 0 }), await moved(a).poll({ since: 0 })];
    expect(near.body.messages.map(({ index }) => index)).toEqual(Array.from({ length: 52 }, (_, at) => at));
    expect(far.body.messages).toEqual(near.body.messages);
    expect((await moved(b).send('again', { client_id: 'c1' })).body).toMatchObject({ duplicate: true });
  });

  test('who leaves or ends a channel at one is heard of at the other at once', async () => {
    const { a, b, moved, there, far } = await pair({ clock: new FakeClock() });
    const polled = moved(b).poll({ since: 99 });
    await there.parked(1);
    expect((await b.leave()).status).toBe(200);
    expect((await polled).body.messages).toMatchObject([{ type: 'leave', from: 'b', index: 2 }]);
    const last = moved(a).poll({ since: 3 });
    await there.parked(1);
    await a.leave();
    expect((await last).body.messages).toMatchObject([{ type: 'leave', from: 'a', index: 3 }]);
    expect((await moved(a).poll({ since: 4 })).body).toMatchObject({ evicted_reason: 'evicted_empty' });
    expect((await far.tryJoin('c')).status).toBe(404);
  });

  test('an end that one did not hear of is told with its reason, a few seconds later', async () => {
    const clock = new FakeClock();
    const { b, moved, there, channel, connections } = await pair({
      clock,
      chMaxLifetimeMs: 10_000,
      chSweepIntervalMs: 1_000,
    });
    const polled = moved(b).poll({ since: 2 });
    await there.parked(1);
    const deaf = connections[1];
    await deaf?.listening.unsubscribe(deaf.key(`channel:{${channel.id}}:e`));
    await clock.advance(11_000);
    await expect.poll(async () => (await b.poll({ wait: 0 })).status).toBe(404);
    await clock.advance(5_000);
    expect((await polled).body).toMatchObject({ evicted_reason: 'evicted_max_lifetime' });
  });

  test('events that one did not hear of are delivered there a few seconds later, without a gap', async () => {
    const clock = new FakeClock();
    const { a, b, moved, there, channel, connections } = await pair({ clock });
    const stream = await follow(moved(b), 2);
    const polled = [moved(a).poll({ since: 2 }), moved(b).poll({ since: 30 })];
    await there.parked(3);
    const deaf = connections[1];
    await deaf?.listening.unsubscribe(deaf.key(`channel:{${channel.id}}:e`));
    for (let at = 2; at < 40; at++) await a.send(`m${at}`);
    // What is heard of by nobody is not told by chance.
    await clock.advance(4_000);
    await there.parked(3);
    expect(stream.ids).toEqual([]);
    await clock.advance(1_000);
    const indexes = (await Promise.all(polled)).map(({ body }) => body.messages.map(({ index }) => index));
    const sent = Array.from({ length: 38 }, (_, at) => at + 2);
    expect(indexes).toEqual([sent, sent.slice(28)]);
    await stream.until(({ ids }) => ids.length >= 38);
    expect(stream.ids).toEqual(sent);
    expect(stream.frames.map(({ data }) => data.text)).toEqual(sent.map((at) => `m${at}`));
    stream.close();
  });

  test('one that heard of an event after another that it did not hear of reads that', async () => {
    const { a, b, moved, there, channel, connections } = await pair({ clock: new FakeClock() });
    const stream = await follow(moved(b), 2);
    await there.parked(1);
    await a.send('heard');
    await stream.until(({ ids }) => ids.length === 1);
    const polled = moved(a).poll({ since: 3 });
    await there.parked(2);
    const [deaf, news] = [connections[1]?.listening, connections[1]?.key(`channel:{${channel.id}}:e`) ?? ''];
    await deaf?.unsubscribe(news);
    await a.send('lost');
    await deaf?.subscribe(news);
    await a.send('heard again');
    const texts = ['heard', 'lost', 'heard again'];
    expect((await polled).body.messages).toMatchObject(texts.slice(1).map((text) => ({ text })));
    await stream.until(({ ids }) => ids.length >= 3);
    expect(stream.ids).toEqual([2, 3, 4]);
    expect(stream.frames.map(({ data }) => data.text)).toEqual(texts);
    stream.close();
  });

  test('a stream at one carries what is sent at the other', async () => {
    const { a, b, far } = await pair({ clock: new FakeClock() });
    const stream = await SseReader.open(far.client, `${far.path}/events?since=2`, {
      headers: { authorization: `Bearer ${far.token}`, 'x-participant-id': b.id },
    });
    for (let at = 0; at < 20; at++) await a.send(`m${at}`);
    await stream.until(({ text }) => text.includes('"m19"'));
    expect(stream.ids).toEqual(Array.from({ length: 20 }, (_, at) => at + 2));
    stream.close();
  });

  test('limits on live channels hold over both', async () => {
    const { here, there } = await pair({
      rateLimits: true,
      rlConcurrentChannelsPerIp: 3,
    });
    await there.create();
    const third = await here.create();
    expect((await there.call('POST', '/channels')).body).toMatchObject({
      error: 'concurrent_channels_limit',
    });
    const only = await third.join('x');
    await only.leave();
    await expect.poll(async () => (await there.call('POST', '/channels')).status).toBe(200);
  });

  test('the bytes of both count together: first no more channels are made, then the one that was quiet longest ends', async () => {
    const clock = new FakeClock();
    const { a, moved, here, there } = await pair({ clock, chGlobalMaxBytes: 1_000 });
    expect((await a.send('x'.repeat(500))).status).toBe(200);
    await expect.poll(() => held(there)).toBe(500);
    const late = await (await there.create()).join('c');
    await clock.advance(1_000);
    expect((await late.send('x'.repeat(450))).status).toBe(200);
    await expect.poll(() => held(here)).toBe(950);
    for (const client of [here, there]) {
      const { status, headers, body } = await client.call('POST', '/channels');
      expect([status, headers['retry-after'], body]).toMatchObject([429, '60', { error: 'rate_limited' }]);
    }
    const polled = moved(a).poll({ since: 3 });
    await there.parked(1);
    await clock.advance(1_000);
    // Those who wait in the older one do not keep it from being the quieter.
    expect((await late.send('x'.repeat(100))).status).toBe(200);
    expect(await polled).toMatchObject({ status: 404, body: { evicted_reason: 'evicted_max_bytes' } });
    expect((await a.send('x')).body).toMatchObject({ evicted_reason: 'evicted_max_bytes' });
    expect((await late.poll({ since: 1 })).body.messages).toHaveLength(2);
    await expect.poll(() => held(here)).toBe(550);
    expect((await here.call('POST', '/channels')).status).toBe(200);
  });

  test('a participant has four polls and four streams over both: one more ends the oldest, wherever that is', async () => {
    const clock = new FakeClock();
    const { a, b, moved, here, there, connections } = await pair({ clock });
    const ended: string[] = [];
    const poll = (name: string, peer: Peer) =>
      peer.poll({ since: 2 }).then((answer) => {
        ended.push(name);
        return answer;
      });
    const waiting = async () => (await here.metric(PARKED)) + (await there.metric(PARKED));
    const streams = await Promise.all([a, moved(a), a, moved(a)].map((peer) => follow(peer, 2)));
    const other = moved(b).poll({ since: 2 });
    await expect.poll(waiting).toBe(5);
    const polls = [];
    for (const [at, peer] of [a, moved(a), a, moved(a)].entries()) {
      polls.push(poll(`poll ${at}`, peer));
      await expect.poll(waiting).toBe(6 + at);
    }
    // Their nodes say again and again that they are there.
    for (let beat = 0; beat < 4; beat++) {
      await clock.advance(5_000);
      await Promise.all(connections.map(({ commands }) => commands.ping()));
    }
    expect(ended).toEqual([]);
    polls.push(poll('poll 4', moved(a)));
    expect(await polls[0]).toMatchObject({ status: 204, headers: { 'parley-cursor': '2' } });
    await expect.poll(waiting).toBe(9);
    polls.push(poll('poll 5', a));
    expect(await polls[1]).toMatchObject({ status: 204 });
    await expect.poll(waiting).toBe(9);
    const open = () => streams.map(({ over }) => !over);
    expect(open()).toEqual([true, true, true, true]);
    streams.push(await follow(moved(a), 2));
    await expect.poll(() => open().filter(Boolean)).toHaveLength(4);
    await expect.poll(waiting).toBe(9);
    await b.send('all have this');
    const rest = await Promise.all([...polls.slice(2), other]);
    expect(rest.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(ended.slice(0, 2)).toEqual(['poll 0', 'poll 1']);
    await expect.poll(waiting).toBe(4);
    // Those that are over count no more.
    ended.length = 0;
    const next = [a, a, moved(a), moved(a)].map((peer) => peer.poll({ since: 3 }));
    await expect.poll(waiting).toBe(8);
    await b.send('and this');
    expect((await Promise.all(next)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const stream of streams) stream.close();
    await expect.poll(waiting).toBe(0);
  });

  test('of polls that come at once four are left', async () => {
    const { a, b, moved, here, there } = await pair();
    const waiting = async () => (await here.metric(PARKED)) + (await there.metric(PARKED));
    for (let round = 0, since = 2; round < 8; round++, since++) {
      const polls = Array.from({ length: 16 }, (_, at) => (at % 2 === 0 ? a : moved(a)).poll({ since }));
      let ended = 0;
      for (const poll of polls) void poll.then(() => (ended += 1));
      await expect.poll(() => ended).toBe(12);
      await expect.poll(waiting).toBe(4);
      await b.send('x');
      const answers = (await Promise.all(polls)).map(({ status }) => status);
      expect(answers.filter((status) => status === 200)).toHaveLength(4);
    }
  });

  test('polls at a node that is gone count no more after a while', async () => {
    const clock = new FakeClock();
    const { one, a, moved, here, there, connections } = await pair({ clock });
    const lost = [a, a].map((peer) => peer.poll({ since: 2 }).catch(() => undefined));
    await here.parked(2);
    one.context.cluster.redis?.commands.disconnect();
    one.context.cluster.redis?.listening.disconnect();
    const kept = [moved(a).poll({ since: 2 }), moved(a).poll({ since: 2 })];
    await there.parked(2);
    for (let beat = 0; beat < 3; beat++) {
      await clock.advance(5_000);
      await connections[1]?.commands.ping();
    }
    kept.push(moved(a).poll({ since: 2 }), moved(a).poll({ since: 2 }));
    await there.parked(4);
    expect((await moved(a).send('x')).status).toBe(200);
    expect((await Promise.all(kept)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await one.close();
    await Promise.all(lost);
  });

  test('a Redis that could write channels to a disk is told of, and refused where that is asked for', async () => {
    const redis = await running.connect();
    await redis.commands.config('SET', 'save', '60 1');
    try {
      const warned = await startServer({ redis });
      cleanups.push(() => warned.close());
      expect(warned.logs).toContainEqual(expect.objectContaining({ event: 'channels_may_reach_disk' }));
      await expect(startServer({ redis, channelsStrict: true })).rejects.toThrow(
        /could reach a disk; set save ""/,
      );
    } finally {
      await redis.commands.config('SET', 'save', '');
    }
    const fine = await startServer({ redis, channelsStrict: true });
    cleanups.push(() => fine.close());
    expect(fine.logs).not.toContainEqual(expect.objectContaining({ event: 'channels_may_reach_disk' }));
  });

  test('one that hands its replicas what it holds through a file is refused too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-replica-'));
    cleanups.push(async () => rmSync(folder, { recursive: true, force: true }));
    const admin = new Redis(running.server.url);
    const master = `127.0.0.1 ${running.server.port}`;
    const replica = await startRedis(['--dir', folder, '--replicaof', master]);
    try {
      await expect.poll(() => admin.info('replication')).toContain('connected_slaves:1');
      const redis = await running.connect();
      const start = () => startServer({ redis, channelsStrict: true });
      await expect(start()).rejects.toThrow(/\(repl-diskless-load\), so sealed channels could reach a disk/);
      await admin.config('SET', 'repl-diskless-load', 'swapdb');
      await (await start()).close();
      await admin.config('SET', 'repl-diskless-sync', 'no');
      await expect(start()).rejects.toThrow(/\(repl-diskless-sync\), so sealed channels could reach a disk/);
    } finally {
      await admin.config('SET', 'repl-diskless-load', 'disabled');
      await admin.config('SET', 'repl-diskless-sync', 'yes');
      admin.disconnect();
      await replica.stop();
    }
  }, 30_000);

  test('work on a Redis Cluster, whose servers are all asked whether they keep anything', async () => {
    const cluster = await startRedisCluster();
    cleanups.push(() => cluster.stop());
    const start = async (): Promise<TestServer> => {
      const place = await freshTables();
      cleanups.push(() => place.remove());
      const server = await startServer({
        redisUrl: cluster.url,
        databaseUrl: place.at.url,
        secretKey: '7'.repeat(64),
        channelsStrict: true,
      });
      cleanups.push(() => server.close());
      return server;
    };
    const here = new ChannelClient(await start());
    // As many as it takes to be on both.
    for (let at = 0; at < 8; at++) {
      const channel = await here.create();
      const [a, b] = [await channel.join('a'), await channel.join('b')];
      const polled = b.poll({ since: 2 });
      await here.parked(1);
      expect((await a.send(`text ${at}`)).body).toEqual({ ok: true, index: 2 });
      expect((await polled).body.messages).toMatchObject([{ from: 'a', text: `text ${at}` }]);
    }
    for (const { url } of cluster.masters) {
      const master = new Redis(url);
      expect(await master.dbsize()).toBeGreaterThan(0);
      await master.config('SET', 'save', '60 1');
      await expect(start()).rejects.toThrow(/could reach a disk; set save ""/);
      await master.config('SET', 'save', '');
      master.disconnect();
    }
  });

  test('one that is gone keeps nobody present, and what it acknowledged is there', async () => {
    const clock = new FakeClock();
    const { one, a, b, moved, here, there } = await pair({ clock, chIdleTimeoutMs: 60_000 });
    const polled = a.poll({ since: 3 }).catch(() => undefined);
    await here.parked(1);
    expect((await b.send('kept')).status).toBe(200);
    // Its connections break off, as when it is killed: nothing is taken back.
    one.context.cluster.redis?.commands.disconnect();
    one.context.cluster.redis?.listening.disconnect();
    const seen = async () => (await moved(b).poll({ since: 2, wait: 0 })).body;
    expect((await seen()).messages).toMatchObject([{ text: 'kept' }]);
    expect((await seen()).roster).toMatchObject([{ name: 'a', last_seen_s: 0 }, { name: 'b' }]);
    await clock.leap(20_000);
    expect((await seen()).roster).toMatchObject([{ name: 'a', last_seen_s: 20 }, { name: 'b' }]);
    expect(await there.metric('agentalk_channels')).toBe(1);
    await one.close();
    await polled;
  });

  test('Redis away for long: polls wait for as long as they said, and whoever waits longer misses nothing', async () => {
    const own = await testSharedRedis();
    const gate = new TcpGate('127.0.0.1', own.server.port);
    const url = `redis://127.0.0.1:${await gate.open()}`;
    cleanups.push(
      () => own.stop(),
      () => gate.close(),
    );
    const clock = new FakeClock();
    const { a, b, moved, here, there, connections } = await pair({ clock }, (name) => own.connect(name, url));
    const up = (): boolean[] => connections.map((redis) => redis.up);
    const short = moved(b).poll({ since: 2, wait: 12 });
    const shown = moved(b).poll({ since: 2, wait: 12, roster: 1 });
    const long = moved(a).poll({ since: 2, wait: 50 });
    const stream = await follow(moved(b), 2);
    await there.parked(4);
    gate.shut();
    await expect.poll(up).toEqual([false, false]);
    const away = { status: 503, body: { error: 'service_unavailable', retry_after_sec: 1 } };
    for (const peer of [a, moved(a)]) {
      const answers = [await peer.send('x'), await peer.poll({ since: 2 }), await peer.leave()];
      for (const answer of answers) {
        expect(answer).toMatchObject(away);
        expect(answer.headers['retry-after']).toBe('1');
      }
    }
    // Two beats, which reach nobody.
    await clock.advance(5_000);
    await clock.advance(5_000);
    await there.parked(4);
    await clock.advance(3_000);
    const { status, text, headers } = await short;
    expect([status, text, headers['parley-cursor']]).toEqual([204, '', '2']);
    // Who is there cannot be said.
    expect(await shown).toMatchObject(away);
    await clock.advance(5_000);
    await there.parked(2);
    gate.lift();
    await expect.poll(up).toEqual([true, true]);
    expect((await a.send('back')).body).toEqual({ ok: true, index: 2 });
    expect((await long).body.messages).toMatchObject([{ index: 2, text: 'back' }]);
    await stream.until(({ ids }) => ids.length >= 1);
    expect((await moved(b).send('so is this')).body).toEqual({ ok: true, index: 3 });
    await stream.until(({ ids }) => ids.length >= 2);
    expect(stream.frames.map(({ data }) => data.text)).toEqual(['back', 'so is this']);
    expect((await here.create()).id).toMatch(/./);
    stream.close();
    await there.parked(0);
  }, 60_000);

  test('Redis away: 503 to come back soon, and who waits goes on waiting; Redis back and empty: all is gone', async () => {
    const { a, b, moved, there } = await pair();
    const polled = moved(b).poll({ since: 2 });
    await there.parked(1);
    await running.server.kill();
    const refused = async () => {
      const { status, headers, body } = await a.send('x');
      return [status, headers['retry-after'], body];
    };
    await expect.poll(refused).toEqual([503, '1', { error: 'service_unavailable', retry_after_sec: 1 }]);
    expect((await there.call('POST', '/channels')).status).toBe(503);
    expect(await there.metric('agentalk_polls_parked')).toBe(1);
    await running.server.startAgain();
    expect((await polled).body).toEqual({ error: 'channel_or_token_invalid' });
    await expect.poll(async () => (await a.send('x')).body).toEqual({ error: 'channel_or_token_invalid' });
    const anew = await there.create();
    expect((await (await anew.join('c')).send('works')).status).toBe(200);
  }, 30_000);
});
