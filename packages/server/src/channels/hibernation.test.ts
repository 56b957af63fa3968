import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChannelClient } from '../testing/channel-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { TestOptions, TestServer } from '../testing/start-server.ts';
import { describeEachStore } from './testing/each-store.ts';

const HOUR = 3_600_000;
const GONE = 'channel_or_token_invalid';

describeEachStore('channel › hibernation', (startOn) => {
  let clock: FakeClock;
  let server: TestServer;
  let client: ChannelClient;

  beforeEach(() => {
    clock = new FakeClock();
  });
  afterEach(() => server.close());

  async function sleepy(more: TestOptions = {}): Promise<void> {
    server = await startOn({
      clock,
      rateLimits: false,
      chHibernateMaxMs: 24 * HOUR,
      chIdleTimeoutMs: 60_000,
      chSweepIntervalMs: 1_000,
      ...more,
    });
    client = new ChannelClient(server);
  }

  const ASLEEP = {
    error: 'channel_hibernating',
    hibernating: true,
    rejoin: true,
    evicted_reason: 'hibernating',
  };

  test('puts an idle channel to sleep and wakes it on a join (checklist 21)', async () => {
    await sleepy();
    const { channel, a } = await client.pair();
    await a.send('forgotten');
    await clock.advance(61_000);
    for (const answer of [await a.poll(), await a.send('x'), await a.leave()]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(ASLEEP);
    }
    const { status, body } = await channel.tryJoin('a');
    expect(status).toBe(200);
    expect(body).toMatchObject({ participants: ['a'], cursor: 1 });
    expect(body.participant_id).not.toBe(a.id);
    expect((await a.poll()).body).toEqual({ error: 'participant_not_in_channel' });
    const back = { token: channel.token, participant_id: body.participant_id, since: 0 };
    const poll = await client.call('GET', `${channel.path}/poll`, { query: back });
    expect(poll.body).toMatchObject({ messages: [{ type: 'join', from: 'a', index: 0 }], cursor: 1 });
  });

  test('tells a stranger nothing', async () => {
    await sleepy();
    const { channel, a } = await client.pair();
    await clock.advance(61_000);
    const stranger = await client.post(`${channel.path}/send`, {
      token: '0'.repeat(48),
      participant_id: a.id,
      text: 'x',
    });
    expect(stranger.body).toEqual({ error: GONE });
  });

  test('is not ended by a join that is refused', async () => {
    await sleepy();
    const { channel, a } = await client.pair();
    await clock.advance(61_000);
    expect((await channel.tryJoin('bad\nname')).body).toEqual({ error: 'invalid_name' });
    expect((await a.poll()).body).toEqual(ASLEEP);
  });

  test('counts as neither awake nor as anybody’s channel', async () => {
    await sleepy({ rateLimits: true, rlConcurrentChannelsPerIp: 1 });
    const { channel } = await client.pair();
    expect((await client.call('POST', '/channels')).status).toBe(429);
    await clock.advance(61_000);
    // A store elsewhere is swept a moment later.
    await expect.poll(() => client.metric('agentalk_tracked_ips')).toBe(0);
    expect((await client.get('/health')).body).toMatchObject({
      channels: 0,
      channels_hibernating: 1,
      total_participants: 0,
      total_messages: 0,
    });
    expect(await client.metric('agentalk_hibernations_total')).toBe(1);
    const next = await client.create();
    // Waking takes no slot again: the only one is in use, and the join goes through.
    expect((await channel.tryJoin('back')).status).toBe(200);
    expect(await client.metric('agentalk_channels')).toBe(2);
    expect(await client.metric('agentalk_resumes_total')).toBe(1);
    expect((await next.tryJoin('x')).status).toBe(200);
  });

  test('ends after its own time, without notice', async () => {
    await sleepy({ chHibernateMaxMs: HOUR, chEvictNoticeMs: 5_000 });
    const { channel, a } = await client.pair();
    await clock.advance(61_000 + HOUR - 2_000);
    expect((await a.poll()).body).toEqual(ASLEEP);
    await clock.advance(3_000);
    expect((await a.poll()).body).toMatchObject({
      error: GONE,
      evicted_reason: 'evicted_hibernate_expired',
    });
    expect((await channel.tryJoin('late')).status).toBe(404);
  });

  test('does not stop the clock of the lifetime', async () => {
    await sleepy({ chMaxLifetimeMs: HOUR });
    const { channel } = await client.pair();
    await clock.advance(HOUR);
    expect((await channel.tryJoin('late')).body).toMatchObject({ evicted_reason: 'evicted_max_lifetime' });
  });
});
