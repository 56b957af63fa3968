import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Channel, ChannelClient, Peer } from '../testing/channel-client.ts';
import type { Answer } from '../testing/http-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { TestOptions, TestServer } from '../testing/start-server.ts';
import { describeEachStore } from './testing/each-store.ts';

const HOUR = 3_600_000;
const GONE = 'channel_or_token_invalid';

const everyCall = (channel: Channel, peer: Peer): Promise<Answer<object>[]> =>
  Promise.all([channel.tryJoin('late'), peer.send('x'), peer.poll(), peer.leave()]);

describeEachStore('channel › lifecycle', (startOn) => {
  let clock: FakeClock;
  let server: TestServer;
  let client: ChannelClient;

  beforeEach(() => {
    clock = new FakeClock();
  });
  afterEach(() => server.close());

  async function start(settings: TestOptions = {}): Promise<void> {
    server = await startOn({ clock, rateLimits: false, ...settings });
    client = new ChannelClient(server);
  }

  describe('idle window (checklist 17)', () => {
    test('evicts a channel without activity', async () => {
      await start();
      const { channel, a } = await client.pair();
      await clock.advance(HOUR / 2 - 1);
      expect((await channel.tryJoin('still here')).status).toBe(200);
      await clock.advance(HOUR / 2 + 60_000);
      await expect.poll(() => client.metric('agentalk_evictions_total{reason="idle"}')).toBe(1);
      for (const answer of await everyCall(channel, a)) {
        expect(answer.status).toBe(404);
        expect(answer.body).toMatchObject({ error: GONE, evicted_reason: 'evicted_idle' });
      }
    });

    test('does not run while a poll is parked', async () => {
      await start({ chIdleTimeoutMs: 20_000, chSweepIntervalMs: 1_000 });
      const { a, b } = await client.pair();
      const parked = a.poll({ since: 2 });
      await client.parked(1);
      await clock.advance(49_000);
      expect(await client.metric('agentalk_channels')).toBe(1);
      await clock.advance(2_000);
      expect((await parked).status).toBe(204);
      await clock.advance(18_000);
      expect(await client.metric('agentalk_channels')).toBe(1);
      await clock.advance(2_000);
      expect((await b.poll()).body).toMatchObject({ evicted_reason: 'evicted_idle' });
    });

    test('runs again once the parked client has gone away', async () => {
      await start({ chIdleTimeoutMs: 20_000, chSweepIntervalMs: 1_000 });
      const { a } = await client.pair();
      const abandon = new AbortController();
      const parked = a.poll({ since: 2 }, { signal: abandon.signal }).catch(() => undefined);
      await client.parked(1);
      await clock.advance(19_000);
      abandon.abort();
      await parked;
      await client.parked(0);
      await clock.advance(22_000);
      await expect.poll(() => client.metric('agentalk_channels')).toBe(0);
    });

    test.each<[string, (peers: { channel: Channel; a: Peer; b: Peer }) => Promise<unknown>]>([
      ['a join', ({ channel }) => channel.join('c')],
      ['a send', ({ a }) => a.send('x')],
      ['a poll', ({ a }) => a.poll()],
      ['a leave', ({ a }) => a.leave()],
    ])('starts again with %s', async (_label, act) => {
      await start();
      const peers = await client.pair();
      await clock.advance(HOUR / 2 - 1_000);
      await act(peers);
      await clock.advance(HOUR / 2 - 1_000);
      expect((await peers.b.poll()).status).toBe(200);
    });

    test.each<[string, (channel: Channel) => Promise<Answer<object>>]>([
      [
        'a wrong token',
        ({ client: c, path }) => c.post(`${path}/join`, { token: 'f'.repeat(48), name: 'x' }),
      ],
      [
        'a wrong participant',
        ({ client: c, path, token }) => c.post(`${path}/send`, { token, participant_id: 'f', text: 'x' }),
      ],
      ['a refused name', (channel) => channel.tryJoin('a')],
    ])('is not prolonged by %s', async (_label, act) => {
      await start();
      const { channel, a } = await client.pair();
      await clock.advance(HOUR / 2 - 1_000);
      expect((await act(channel)).status).toBeGreaterThanOrEqual(400);
      await clock.advance(1_000);
      expect((await a.poll()).status).toBe(404);
    });

    test('is seen by a call before the sweep comes round', async () => {
      await start({ chIdleTimeoutMs: 5_000, chSweepIntervalMs: HOUR });
      const { a } = await client.pair();
      await clock.advance(5_000);
      expect((await a.poll()).body).toEqual({
        error: GONE,
        evicted_reason: 'evicted_idle',
        evicted_s_ago: 0,
      });
    });
  });

  test('evicts by age, and answers parked polls at once (checklist 19)', async () => {
    await start({ chMaxLifetimeMs: 30_000, chSweepIntervalMs: 1_000 });
    const { channel, a, b } = await client.pair();
    const parked = [a.poll({ since: 2 }), b.poll({ since: 99, roster: 1 })];
    await client.parked(2);
    await clock.advance(31_000);
    for (const { status, body, headers } of await Promise.all(parked)) {
      expect(status).toBe(404);
      expect(body).toEqual({ error: GONE, evicted_reason: 'evicted_max_lifetime', evicted_s_ago: 0 });
      expect(headers['cache-control']).toBe('no-store');
    }
    expect(await client.metric('agentalk_polls_parked')).toBe(0);
    expect((await channel.tryJoin('late')).status).toBe(404);
  });

  test('lives 36 hours by default, however busy', async () => {
    await start({ chSweepIntervalMs: HOUR });
    const channel = await client.create();
    const a = await channel.join('a');
    for (let quarter = 0; quarter < 36 * 4 - 1; quarter++) {
      await clock.leap(HOUR / 4);
      await a.poll({ wait: 0 });
    }
    expect((await a.poll()).status).toBe(200);
    await clock.leap(HOUR / 4);
    expect((await a.poll()).body).toMatchObject({ evicted_reason: 'evicted_max_lifetime' });
  });

  describe('caps', () => {
    test('end the channel after the send that reached the event cap (checklist 18)', async () => {
      await start({ chMaxMessages: 3 });
      const { channel, a, b } = await client.pair();
      const parked = b.poll({ since: 2 });
      await client.parked(1);
      expect((await a.send('last words')).body).toEqual({ ok: true, index: 2 });
      expect((await parked).body).toMatchObject({ messages: [{ text: 'last words', index: 2 }], cursor: 3 });
      for (const answer of await everyCall(channel, a)) {
        expect(answer.body).toEqual({
          error: GONE,
          evicted_reason: 'evicted_max_messages',
          evicted_s_ago: 0,
        });
      }
    });

    test('are checked after a send only', async () => {
      await start({ chMaxMessages: 2 });
      const { channel, a } = await client.pair();
      await channel.join('c');
      expect((await a.poll()).body.cursor).toBe(3);
      expect((await a.send('x')).body).toEqual({ ok: true, index: 3 });
      expect((await a.poll()).status).toBe(404);
    });

    test('end the channel when its text exceeds the byte budget', async () => {
      await start({ chMaxBytes: 100 });
      const { a } = await client.pair();
      expect((await a.send('x'.repeat(100))).status).toBe(200);
      expect((await a.poll()).status).toBe(200);
      expect((await a.send('y')).body).toEqual({ ok: true, index: 3 });
      expect((await a.poll()).body).toMatchObject({ evicted_reason: 'evicted_max_bytes' });
      await expect.poll(() => client.metric('agentalk_retained_bytes')).toBe(0);
    });

    test('count text as it is held, with its escapes', async () => {
      await start({ chMaxBytes: 100 });
      const { a } = await client.pair();
      expect((await a.send('\u0001'.repeat(16))).status).toBe(200);
      await expect.poll(() => client.metric('agentalk_retained_bytes')).toBe(96);
      expect((await a.send('\n"\\')).status).toBe(200);
      expect((await a.poll()).body).toMatchObject({ evicted_reason: 'evicted_max_bytes' });
    });

    test('over all channels refuse creates, then end the longest idle', async () => {
      await start({ chGlobalMaxBytes: 1_000 });
      const old = await client.pair();
      await clock.advance(1_000);
      const young = await client.pair();
      await old.a.send('x'.repeat(500));
      await clock.advance(1_000);
      await young.a.send('y'.repeat(450));
      const refused = await client.call('POST', '/channels');
      expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
      expect(refused.headers['retry-after']).toBe(String(refused.body.retry_after_sec));
      await young.a.send('y'.repeat(100));
      expect((await old.a.poll()).body).toMatchObject({ error: GONE, evicted_reason: 'evicted_max_bytes' });
      expect((await young.a.poll()).status).toBe(200);
      expect((await client.call('POST', '/channels')).status).toBe(200);
    });
  });

  describe('after the end', () => {
    test('tells the reason for a day, to who has the token only', async () => {
      await start({ chSweepIntervalMs: HOUR });
      const { channel, a, b } = await client.pair();
      await a.leave();
      await b.leave();
      await clock.leap(24 * HOUR - 1);
      expect((await a.poll()).body).toEqual({
        error: GONE,
        evicted_reason: 'evicted_empty',
        evicted_s_ago: 86_399,
      });
      const stranger = await client.post(`${channel.path}/join`, { token: '0'.repeat(48), name: 'x' });
      expect(stranger.body).toEqual({ error: GONE });
      await clock.advance(1);
      expect((await a.poll()).body).toEqual({ error: GONE });
    });

    test('knows nothing after a restart', async () => {
      await start();
      const { channel, a } = await client.pair();
      await server.close();
      await start();
      const stale = new Channel(client, channel.id, channel.token);
      for (const answer of await everyCall(stale, new Peer(stale, 'a', a.id, 0))) {
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual({ error: GONE });
      }
    });
  });

  describe('eviction notices', () => {
    const NOTICE = { chEvictNoticeMs: 5_000 };

    test('append a system event that may be read for a while (checklist 20)', async () => {
      await start({ ...NOTICE, chMaxMessages: 3, chSweepIntervalMs: HOUR });
      const { channel, a, b } = await client.pair();
      const parked = b.poll({ since: 2 });
      await client.parked(1);
      expect((await a.send('last words')).body).toEqual({ ok: true, index: 2 });
      const notice = {
        type: 'system',
        reason: 'evicted_max_messages',
        index: 3,
        timestamp: clock.now(),
      };
      const { body } = await parked;
      expect(body.messages).toMatchObject([{ text: 'last words' }, notice]);
      expect(body.messages[1]).toEqual(notice);

      // Counted with the announcement, and once.
      expect(await client.metric('agentalk_evictions_total{reason="max_messages"}')).toBe(1);

      const gone = { error: GONE, evicted_reason: 'evicted_max_messages' };
      expect((await channel.tryJoin('late')).body).toMatchObject(gone);
      expect((await a.send('more')).body).toMatchObject(gone);
      await clock.advance(4_000);
      expect((await a.poll({ since: 3 })).body.messages).toEqual([notice]);
      const last = a.poll({ since: 4 });
      await client.parked(1);
      await clock.advance(1_000);
      expect((await last).body).toEqual({ ...gone, evicted_s_ago: 5 });
      expect((await a.poll()).body).toMatchObject(gone);
      expect(await client.metric('agentalk_evictions_total{reason="max_messages"}')).toBe(1);
    });

    test('are given for idle channels too', async () => {
      await start({ ...NOTICE, chIdleTimeoutMs: 60_000, chSweepIntervalMs: 1_000 });
      const { a } = await client.pair();
      await clock.advance(61_000);
      expect((await a.poll({ since: 2 })).body.messages).toMatchObject([{ reason: 'evicted_idle' }]);
      await clock.advance(5_000);
      expect((await a.poll({ since: 2 })).body).toMatchObject({ evicted_reason: 'evicted_idle' });
    });

    test('are not given when the last one leaves', async () => {
      await start(NOTICE);
      const { a, b } = await client.pair();
      await a.leave();
      const parked = b.poll({ since: 3 });
      await client.parked(1);
      await b.leave();
      const { status, body } = await parked;
      expect(status).toBe(200);
      expect(body.messages.map(({ type }) => type)).toEqual(['leave']);
      expect((await b.poll()).body).toMatchObject({ evicted_reason: 'evicted_empty' });
    });
  });
});
