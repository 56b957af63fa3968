import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChannelClient } from '../testing/channel-client.ts';
import type { Answer } from '../testing/http-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { TestOptions, TestServer } from '../testing/start-server.ts';
import { describeEachStore } from './testing/each-store.ts';

const HOUR = 3_600_000;

function expectLimited(answer: Answer<object>, error: string, seconds: number): void {
  expect(answer.status).toBe(429);
  const hint = expect.stringMatching(/^(At most|All channels) .*\(PARLEY_\w+\)\.$/);
  expect(answer.body).toEqual({ error, retry_after_sec: seconds, hint });
  expect(answer.headers['retry-after']).toBe(String(seconds));
  expect(answer.headers['cache-control']).toBe('no-store');
}

describeEachStore('channel › limits', (startOn) => {
  let clock: FakeClock;
  let server: TestServer;
  let client: ChannelClient;

  beforeEach(() => {
    clock = new FakeClock();
  });
  afterEach(() => server.close());

  async function start(settings: TestOptions = {}): Promise<void> {
    server = await startOn({ clock, ...settings });
    client = new ChannelClient(server);
  }

  const create = (call = {}): Promise<Answer> => client.call('POST', '/channels', call);
  const createBehind = (forwarded: string): Promise<Answer> =>
    create({ headers: { 'x-forwarded-for': forwarded } });

  test('on creates: ten an hour, refilled continuously (checklist 22)', async () => {
    await start({ rlConcurrentChannelsPerIp: 100 });
    for (let n = 0; n < 10; n++) expect((await create()).status).toBe(200);
    expectLimited(await create(), 'rate_limited', 360);
    await clock.advance(100_500);
    expectLimited(await create(), 'rate_limited', 260);
    await clock.advance(259_500);
    expect((await create()).status).toBe(200);
    expectLimited(await create(), 'rate_limited', 360);
    expect(await client.metric('agentalk_ratelimit_rejections_total{kind="channels"}')).toBe(3);
  });

  test('on live channels of one address, checked before the bucket (checklist 22)', async () => {
    await start({ rlConcurrentChannelsPerIp: 2, rlChannelsPerHour: 3 });
    const first = await client.create();
    await client.create();
    for (let n = 0; n < 5; n++) expectLimited(await create(), 'concurrent_channels_limit', 60);
    await (await first.join('a')).leave();
    // The five refusals spent nothing: one of the three units is left.
    expect((await create()).status).toBe(200);
    expectLimited(await create(), 'concurrent_channels_limit', 60);
    expect(await client.metric('agentalk_ratelimit_rejections_total{kind="concurrent_channels"}')).toBe(6);
  });

  test('on live channels: every kind of end gives the slot back', async () => {
    await start({ rlConcurrentChannelsPerIp: 1, rlChannelsPerHour: 100, chMaxMessages: 2 });
    const channel = await client.create();
    expect((await create()).status).toBe(429);
    await (await channel.join('a')).send('reaches the cap');
    expect((await create()).status).toBe(200);
    expect((await create()).status).toBe(429);
    await clock.advance(HOUR / 2 + 60_000);
    // A store elsewhere is swept a moment later.
    await expect.poll(async () => (await create()).status).toBe(200);
  });

  test('on joins, counted per address over all channels', async () => {
    await start({ rlJoinsPerHour: 3 });
    const [one, two] = [await client.create(), await client.create()];
    await one.join('a');
    await two.join('a');
    await one.join('b');
    expectLimited(await two.tryJoin('b'), 'rate_limited', 1200);
    expect(await client.metric('agentalk_ratelimit_rejections_total{kind="joins"}')).toBe(1);
  });

  test('on sends', async () => {
    await start({ rlMessagesPerHour: 2 });
    const peer = await (await client.create()).join('a');
    await peer.send('1');
    await peer.send('2');
    expectLimited(await peer.send('3'), 'rate_limited', 1800);
    expect(await client.metric('agentalk_ratelimit_rejections_total{kind="messages"}')).toBe(1);
    expect((await peer.leave()).status).toBe(200);
  });

  test('are 120 joins and 1000 sends an hour by default', async () => {
    await start();
    const channel = await client.create();
    const peer = await channel.join('a');
    for (let n = 0; n < 119; n++) await channel.tryJoin('a');
    expect((await channel.tryJoin('a')).status).toBe(429);
    for (let n = 0; n < 1000; n++) await peer.send('');
    expect((await peer.send('x')).status).toBe(429);
  });

  test('spend one unit on every request that reaches them, whatever follows', async () => {
    await start({ rlJoinsPerHour: 4, rlMessagesPerHour: 4 });
    const channel = await client.create();
    const bodies = ['', '{', '[]', '{"token":"x","name":"x","participant_id":"x","text":"x"}'];
    for (const action of ['join', 'send']) {
      for (const body of bodies)
        expect((await client.post(`${channel.path}/${action}`, body)).status).not.toBe(429);
      expect((await client.post(`${channel.path}/${action}`, bodies[3])).status).toBe(429);
    }
  });

  test('come before the body is read', async () => {
    await start({ rlChannelsPerHour: 1, rlJoinsPerHour: 1, rlMessagesPerHour: 1 });
    const channel = await client.create();
    await (await channel.join('a')).send('x');
    const huge = 'x'.repeat(300 * 1024);
    for (const path of ['/channels', `${channel.path}/join`, `${channel.path}/send`]) {
      expect([path, (await client.post(path, huge)).status]).toEqual([path, 429]);
      expect([path, (await client.post(path, '')).status]).toEqual([path, 429]);
    }
  });

  test('are not moved by a spoofed X-Forwarded-For (checklist 24)', async () => {
    await start({ rlChannelsPerHour: 2 });
    for (let n = 0; n < 2; n++) await create({ headers: { 'x-forwarded-for': `203.0.113.${n}` } });
    const spoofed = {
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=9.9.9.9',
    };
    expectLimited(await create({ headers: spoofed }), 'rate_limited', 1800);
    expect(server.rawLog()).not.toContain('203.0.113');
  });

  test('count by the forwarded address behind a trusted proxy', async () => {
    await start({ rlChannelsPerHour: 1, trustedProxies: ['127.0.0.0/8'] });
    expect((await createBehind('203.0.113.1')).status).toBe(200);
    expect((await createBehind('203.0.113.2')).status).toBe(200);
    // What a client wrote itself stands left of what the proxy added.
    expect((await createBehind('198.51.100.7, 203.0.113.1')).status).toBe(429);
    expect((await createBehind('203.0.113.1, 127.0.0.2')).status).toBe(429);
  });

  test('are separate for each address', async () => {
    await start({ rlChannelsPerHour: 1 });
    expect((await create()).status).toBe(200);
    expect((await create()).status).toBe(429);
    expect((await create({ from: '127.0.0.2' })).status).toBe(200);
    expect((await create({ from: '127.0.0.2' })).status).toBe(429);
    expect(await client.metric('agentalk_tracked_ips')).toBe(2);
  });

  test('are named in the log with endpoint, address and reason', async () => {
    await start({ rlChannelsPerHour: 1, rlConcurrentChannelsPerIp: 1 });
    await client.create();
    await create();
    await (await client.create({ from: '127.0.0.3' })).join('a').then((peer) => peer.leave());
    await create({ from: '127.0.0.3' });
    const rejects = server.logs.filter(({ event }) => event === 'ratelimit_reject');
    expect(rejects).toMatchObject([
      { endpoint: 'channels', ip: '127.0.0.1', reason: 'concurrent_channels_limit' },
      { endpoint: 'channels', ip: '127.0.0.3', reason: 'rate_limited' },
    ]);
  });

  test('can be switched off', async () => {
    await start({ rateLimits: false, rlChannelsPerHour: 1, rlConcurrentChannelsPerIp: 1 });
    for (let n = 0; n < 30; n++) expect((await create()).status).toBe(200);
  });
});
