import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChannelClient } from '../testing/channel-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { TestServer } from '../testing/start-server.ts';
import { describeEachStore } from './testing/each-store.ts';

const REASONS = ['empty', 'idle', 'max_lifetime', 'max_messages', 'max_bytes', 'hibernate_expired'];
const NO_EVICTIONS = Object.fromEntries(REASONS.map((reason) => [`evicted_${reason}`, 0]));

const METRICS: Record<string, 'gauge' | 'counter' | 'histogram'> = {
  agentalk_uptime_seconds: 'gauge',
  agentalk_channels: 'gauge',
  agentalk_channels_hibernating: 'gauge',
  agentalk_participants: 'gauge',
  agentalk_channels_created_total: 'counter',
  agentalk_messages_sent_total: 'counter',
  agentalk_evictions_total: 'counter',
  agentalk_hibernations_total: 'counter',
  agentalk_resumes_total: 'counter',
  agentalk_ratelimit_rejections_total: 'counter',
  agentalk_tracked_ips: 'gauge',
  agentalk_polls_parked: 'gauge',
  agentalk_retained_bytes: 'gauge',
  agentalk_poll_wake_seconds: 'histogram',
};

/** Reads the Prometheus text format 0.0.4 strictly: anything that is not of it throws. */
function parseExposition(text: string): {
  types: Map<string, string>;
  helps: Set<string>;
  samples: Map<string, number>;
} {
  const types = new Map<string, string>();
  const helps = new Set<string>();
  const samples = new Map<string, number>();
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.split('\n').filter((candidate) => candidate !== '')) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line);
    if (comment?.[1] === 'HELP') helps.add(comment[2] ?? '');
    else if (comment) types.set(comment[2] ?? '', comment[3] ?? '');
    else {
      const sample = /^([a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})?) (\S+)$/.exec(
        line,
      );
      if (!sample?.[1] || Number.isNaN(Number(sample[2]))) throw new Error(`not a sample: ${line}`);
      expect(samples.has(sample[1])).toBe(false);
      samples.set(sample[1], Number(sample[2]));
    }
  }
  return { types, helps, samples };
}

describeEachStore('channel › health and metrics (checklist 25)', (startOn) => {
  let clock: FakeClock;
  let server: TestServer;
  let client: ChannelClient;

  beforeEach(async () => {
    clock = new FakeClock();
    server = await startOn({
      clock,
      rlChannelsPerHour: 3,
      rlConcurrentChannelsPerIp: 2,
      rlJoinsPerHour: 4,
      rlMessagesPerHour: 3,
    });
    client = new ChannelClient(server);
  });
  afterEach(() => server.close());

  const health = async () => (await client.get('/health')).body;
  const scrape = async () => parseExposition((await client.get('/metrics')).text);

  test('health has every key from the start', async () => {
    const { status, headers, body } = await client.get('/health');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      ok: true,
      channels: 0,
      channels_hibernating: 0,
      total_participants: 0,
      total_messages: 0,
      evictions: NO_EVICTIONS,
      total_channels_created: 0,
      total_messages_sent: 0,
      total_hibernations: 0,
      total_resumes: 0,
    });
    expect(Object.keys(body.evictions as object)).toHaveLength(6);
  });

  test('health counts what is here now and what has been', async () => {
    const one = await client.create();
    const two = await client.create();
    const [a, b] = [await one.join('a'), await one.join('b')];
    const c = await two.join('c');
    await a.send('x');
    await c.send('y');
    expect(await health()).toMatchObject({
      channels: 2,
      total_participants: 3,
      total_messages: 5,
      total_channels_created: 2,
      total_messages_sent: 2,
    });
    await b.leave();
    await c.leave();
    expect(await health()).toMatchObject({
      channels: 1,
      total_participants: 1,
      total_messages: 4,
      evictions: { ...NO_EVICTIONS, evicted_empty: 1 },
      total_channels_created: 2,
      total_messages_sent: 2,
    });
    await clock.advance(31 * 60_000);
    // A store elsewhere is swept a moment later.
    await expect.poll(health).toMatchObject({
      channels: 0,
      total_participants: 0,
      total_messages: 0,
      evictions: { ...NO_EVICTIONS, evicted_empty: 1, evicted_idle: 1 },
    });
  });

  test('metrics are Prometheus text with every name, type and help', async () => {
    const { status, headers } = await client.get('/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    const { types, helps, samples } = await scrape();
    for (const [name, type] of Object.entries(METRICS)) {
      expect([name, types.get(name)]).toEqual([name, type]);
      expect([name, helps.has(name)]).toEqual([name, true]);
      if (type !== 'histogram' && !name.includes('evictions') && !name.includes('rejections'))
        expect([name, samples.has(name)]).toEqual([name, true]);
    }
    for (const reason of REASONS) expect(samples.get(`agentalk_evictions_total{reason="${reason}"}`)).toBe(0);
    for (const kind of ['channels', 'messages', 'joins', 'concurrent_channels'])
      expect(samples.get(`agentalk_ratelimit_rejections_total{kind="${kind}"}`)).toBe(0);
    expect(samples.get('agentalk_poll_wake_seconds_bucket{le="+Inf"}')).toBe(0);
    expect(samples.has('agentalk_poll_wake_seconds_sum')).toBe(true);
    expect(samples.has('agentalk_poll_wake_seconds_count')).toBe(true);
  });

  test('metrics move', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    const parked = b.poll({ since: 2 });
    await client.parked(1);
    await clock.advance(2_500);
    await a.send('é'.repeat(10));
    await parked;
    await a.send('y');
    const moved = (await scrape()).samples;
    expect(Object.fromEntries([...moved].filter(([name]) => Object.hasOwn(METRICS, name)))).toEqual({
      agentalk_uptime_seconds: 2.5,
      agentalk_channels: 1,
      agentalk_channels_hibernating: 0,
      agentalk_participants: 2,
      agentalk_channels_created_total: 1,
      agentalk_messages_sent_total: 2,
      agentalk_hibernations_total: 0,
      agentalk_resumes_total: 0,
      agentalk_tracked_ips: 1,
      agentalk_polls_parked: 0,
      agentalk_retained_bytes: 21,
    });
    expect(moved.get('agentalk_poll_wake_seconds_count')).toBe(1);
    await a.send('third');
    await a.send('fourth is limited');
    await channel.tryJoin('c');
    await channel.tryJoin('d');
    await channel.tryJoin('fifth is limited');
    await client.create();
    await client.call('POST', '/channels');
    await b.leave();
    await a.leave();
    await clock.advance(1);
    const { samples } = await scrape();
    const rejections = (kind: string) => samples.get(`agentalk_ratelimit_rejections_total{kind="${kind}"}`);
    expect(rejections('messages')).toBe(1);
    expect(rejections('joins')).toBe(1);
    expect(rejections('concurrent_channels')).toBe(1);
    expect(rejections('channels')).toBe(0);
  });

  test('the two documents never tell ids or names', async () => {
    const channel = await client.create();
    const peer = await channel.join('remarkable-name');
    await peer.send('remarkable-text');
    for (const path of ['/health', '/metrics']) {
      const { text } = await client.get(path);
      for (const secret of [channel.id, channel.token, peer.id, 'remarkable'])
        expect(text).not.toContain(secret);
    }
  });

  test('healthz and ready answer for supervisors', async () => {
    expect(await client.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await client.get('/ready')).toMatchObject({ status: 200, body: { ready: true } });
  });
});
