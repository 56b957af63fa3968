import type { WireEvent } from '@parley/protocol/channels/types';
import { expect, test } from 'vitest';
import { ChannelClient, type Peer } from '../testing/channel-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { channelSuite } from './testing/channel-suite.ts';
import { describeEachStore } from './testing/each-store.ts';

const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

function pick<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`there is no item ${index}`);
  return item;
}

async function followTo(peer: Peer, length: number): Promise<WireEvent[]> {
  const seen: WireEvent[] = [];
  while (seen.length < length) {
    const { status, body } = await peer.poll({ since: seen.length });
    if (status === 200) seen.push(...body.messages);
  }
  return seen;
}

describeEachStore('channel › races', (startOn) => {
  const { client } = channelSuite(startOn, { chMaxParticipants: 200 });

  test('a hundred joins with one name: one gets in', async () => {
    const channel = await client.create();
    const answers = await times(100, () => channel.tryJoin('highlander'));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(99);
    for (const { body } of refused) expect(body).toEqual({ error: 'name_taken' });
    const [winner] = answers.filter(({ status }) => status === 200);
    expect(winner?.body).toMatchObject({ participants: ['highlander'], cursor: 1 });
  });

  test('fifty joins for one free place: one gets in', async () => {
    const small = await startOn({ rateLimits: false, chMaxParticipants: 3 });
    const channel = await new ChannelClient(small).create();
    await channel.join('first');
    await channel.join('second');
    const answers = await times(50, (n) => channel.tryJoin(`number ${n}`));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => 'error' in body && body.error === 'channel_full')).toHaveLength(49);
    await small.close();
  });

  test('fifty sends: indexes without a gap, and every reader sees one order', async () => {
    const channel = await client.create();
    const peers = await times(5, (n) => channel.join(`peer ${n}`));
    const readers = peers.map((peer) => followTo(peer, 55));
    const sends = await times(50, async (n) => {
      const sent = await pick(peers, n % 5).send(`message ${n}`);
      return { index: sent.body.index, text: `message ${n}` };
    });
    expect(sends.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 5),
    );
    const logs = await Promise.all(readers);
    for (const log of logs) {
      expect(log).toEqual(logs[0]);
      expect(log.map(({ index }) => index)).toEqual(Array.from({ length: 55 }, (_, n) => n));
      for (const { index, text } of sends) expect(log[index]).toMatchObject({ text });
    }
  });

  test('sends and polls that cross never leave a poll waiting', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    for (let round = 0; round < 100; round++) {
      const [poll] = await Promise.all([b.poll({ since: 2 + round }), a.send(`${round}`)]);
      expect(poll.body.messages[0]).toMatchObject({ text: `${round}` });
    }
  });

  test('sends while the sender leaves: nothing of theirs follows their leave', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    const sends = times(20, (n) => a.send(`${n}`));
    const leave = a.leave();
    const more = times(20, (n) => a.send(`late ${n}`));
    const answers = [...(await sends), ...(await more)];
    expect((await leave).status).toBe(200);
    const { messages } = (await b.poll()).body;
    const left = messages.findIndex(({ type }) => type === 'leave');
    expect(messages.slice(left + 1)).toEqual([]);
    const stored = answers.filter(({ status }) => status === 200);
    expect(messages.filter(({ type }) => type === 'message')).toHaveLength(stored.length);
    for (const { status, body } of answers)
      if (status !== 200) expect(body).toEqual({ error: 'participant_not_in_channel' });
  });

  test('twenty leaves of one participant: one event', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    const answers = await times(20, () => a.leave());
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await b.poll()).body.messages.map(({ type }) => type)).toEqual(['join', 'join', 'leave']);
  });

  test('everyone leaves at once: the channel ends once, and every parked poll is answered', async () => {
    const channel = await client.create();
    const peers = await times(10, (n) => channel.join(`peer ${n}`));
    const before = await client.metric('agentalk_evictions_total{reason="empty"}');
    const parked = peers.map((peer, n) => peer.poll({ since: n % 2 ? 10 : 999 }));
    await client.parked(10);
    await Promise.all(peers.map((peer) => peer.leave()));
    for (const { status } of await Promise.all(parked)) expect([200, 404]).toContain(status);
    expect(await client.metric('agentalk_evictions_total{reason="empty"}')).toBe(before + 1);
    expect(await client.metric('agentalk_polls_parked')).toBe(0);
  });

  test('a parked poll, an eviction and a leave at the same moment: each gets one answer', async () => {
    const moment = new FakeClock();
    const brief = await startOn({
      clock: moment,
      rateLimits: false,
      chMaxLifetimeMs: 10_000,
      chSweepIntervalMs: 1_000,
    });
    const other = new ChannelClient(brief);
    for (let round = 0; round < 10; round++) {
      const channel = await other.create();
      const [a, b] = [await channel.join('a'), await channel.join('b')];
      const parked = [a.poll({ since: 2 }), b.poll({ since: 2 }), b.poll({ since: 99 })];
      await other.parked(3);
      const [leave, send] = await Promise.all([a.leave(), b.send('x'), moment.advance(10_000)]);
      for (const { status } of [leave, send]) expect([200, 404]).toContain(status);
      for (const { status, body } of await Promise.all(parked)) {
        expect([200, 404]).toContain(status);
        if (status === 404) expect(body).toMatchObject({ evicted_reason: 'evicted_max_lifetime' });
      }
      expect((await b.poll()).status).toBe(404);
      await other.parked(0);
    }
    await brief.close();
  });

  test('clients that vanish while answers are on their way leave nothing behind', async () => {
    const channel = await client.create();
    const peers = await times(40, (n) => channel.join(`peer ${n}`));
    const abandons = peers.map(() => new AbortController());
    const polls = peers.map((peer, n) =>
      peer.poll({ since: 40 }, { signal: pick(abandons, n).signal }).catch(() => undefined),
    );
    await client.parked(40);
    const send = pick(peers, 0).send('to whom it may concern');
    for (const abandon of abandons.filter((_, n) => n % 2)) abandon.abort();
    await send;
    const answers = await Promise.all(polls);
    expect(answers.filter((answer) => answer?.status === 200).length).toBeGreaterThanOrEqual(20);
    await client.parked(0);
    expect((await pick(peers, 1).send('still alive')).status).toBe(200);
  });
});
