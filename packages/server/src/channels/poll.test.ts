import { afterEach, describe, expect, test } from 'vitest';
import { ChannelClient, type Peer } from '../testing/channel-client.ts';
import { channelSuite } from './testing/channel-suite.ts';
import { describeEachStore } from './testing/each-store.ts';

const HOLD_MS = 50_000;

describeEachStore('channel › poll', (startOn) => {
  const { clock, client } = channelSuite(startOn);
  afterEach(() => client.parked(0));

  test('returns joins of others and the own one from index 0 (checklist 2)', async () => {
    const { a } = await client.pair();
    const { status, headers, body } = await a.poll({ since: 0 });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body).toEqual({
      messages: [
        { type: 'join', from: 'a', index: 0, timestamp: clock.now() },
        { type: 'join', from: 'b', index: 1, timestamp: clock.now() },
      ],
      cursor: 2,
      roster: [
        { name: 'a', key_fp: null, last_seen_s: 0 },
        { name: 'b', key_fp: null, last_seen_s: 0 },
      ],
    });
  });

  test('is idempotent: nothing about cursors is kept', async () => {
    const { a, b } = await client.pair();
    await a.send('x');
    const first = await b.poll({ since: 0 });
    expect((await b.poll({ since: 0 })).text).toBe(first.text);
    expect((await b.poll({ since: 2 })).body.messages).toEqual(first.body.messages.slice(2));
  });

  test('is answered by the next event (checklist 3)', async () => {
    const { a, b } = await client.pair();
    const parked = b.poll({ since: 2 });
    await client.parked(1);
    await a.send('hello');
    const { status, body } = await parked;
    expect(status).toBe(200);
    expect(body).toMatchObject({ messages: [{ type: 'message', text: 'hello', index: 2 }], cursor: 3 });
    expect(body.messages).toHaveLength(1);
    expect(body.roster).toHaveLength(2);
  });

  describe('hold time', () => {
    test('ends with 204, no body and the log length (checklist 4)', async () => {
      const { a } = await client.pair();
      let answered = false;
      const parked = a.poll({ since: 2 }).finally(() => (answered = true));
      await client.parked(1);
      await clock.advance(HOLD_MS - 1);
      expect(answered).toBe(false);
      await clock.advance(1_001);
      const { status, text, headers } = await parked;
      expect(status).toBe(204);
      expect(text).toBe('');
      expect(headers['parley-cursor']).toBe('2');
      expect(headers['content-type']).toBeUndefined();
    });

    test('ends with an empty list and the roster on roster=1 (checklist 4)', async () => {
      const { a } = await client.pair();
      const parked = a.poll({ since: 2, roster: 1 });
      await client.parked(1);
      await clock.advance(HOLD_MS + 1_000);
      const { status, body } = await parked;
      expect(status).toBe(200);
      expect(body).toMatchObject({ messages: [], cursor: 2 });
      expect(body.roster?.map(({ name }) => name)).toEqual(['a', 'b']);
      expect(body.roster?.[1]?.last_seen_s).toBe(50);
    });

    test('is measured from arrival, not from the last event in between', async () => {
      const { a, b } = await client.pair();
      const parked = a.poll({ since: 10 });
      await client.parked(1);
      await clock.advance(HOLD_MS - 5_000);
      await b.send('below the cursor');
      await clock.advance(6_000);
      expect((await parked).status).toBe(204);
    });

    test.each([
      [0, 0],
      [1, 1_000],
      [20, 20_000],
      [50, 50_000],
    ])('wait=%i holds for %i ms', async (wait, ms) => {
      const { a } = await client.pair();
      let answered = false;
      const parked = a.poll({ since: 2, wait }).finally(() => (answered = true));
      if (ms > 0) {
        await client.parked(1);
        await clock.advance(ms - 1);
        expect(answered).toBe(false);
        await clock.advance(1_001);
      }
      expect((await parked).status).toBe(204);
    });

    test.each(['51', '1e9', 'abc', '', 'NaN'])('is never longer, whatever wait=%s means', async (wait) => {
      const { a } = await client.pair();
      const parked = a.poll({ since: 2, wait });
      await client.parked(1);
      await clock.advance(HOLD_MS + 1_000);
      expect((await parked).status).toBe(204);
    });

    test('is none for a negative wait', async () => {
      const { a } = await client.pair();
      expect((await a.poll({ since: 2, wait: -1 })).status).toBe(204);
    });

    test('gives the roster at once on wait=0 and roster=1', async () => {
      const { a } = await client.pair();
      const { status, body } = await a.poll({ since: 2, wait: 0, roster: 1 });
      expect(status).toBe(200);
      expect(body).toMatchObject({ messages: [], cursor: 2, roster: [{ name: 'a' }, { name: 'b' }] });
    });
  });

  describe('since (checklist 6)', () => {
    test.each([
      ['absent', undefined, 0],
      ['empty', '', 0],
      ['1', '1', 1],
      ['1.9', '1.9', 1],
      ['2x', '2x', 2],
      ['007', '007', 7],
      ['+1', '+1', 1],
    ])('%s starts at the right event', async (_label, since, start) => {
      const { a } = await client.pair();
      for (let n = 2; n < 9; n++) await a.send(`${n}`);
      const { body } = await a.poll(since === undefined ? {} : { since });
      expect(body.messages[0]?.index).toBe(start);
      expect(body.cursor).toBe(9);
    });

    test.each(['abc', '-1', 'x2', 'NaN', 'Infinity', '-', '.5'])('%j is refused', async (since) => {
      const { a } = await client.pair();
      expect(await a.poll({ since })).toMatchObject({
        status: 400,
        body: { error: 'missing_or_invalid_query' },
      });
    });

    test('beyond the end parks and is not woken by events below it (checklist 7)', async () => {
      const { a, b } = await client.pair();
      let answered = false;
      const parked = a.poll({ since: 999 }).finally(() => (answered = true));
      await client.parked(1);
      await b.send('x');
      await clock.advance(1_000);
      expect(answered).toBe(false);
      await clock.advance(HOLD_MS);
      const { status, headers } = await parked;
      // The length tells a client that its cursor is not of this log.
      expect([status, headers['parley-cursor']]).toEqual([204, '3']);
    });

    test('just beyond the end is woken by its own index only', async () => {
      const { a, b } = await client.pair();
      const parked = a.poll({ since: 4 });
      await client.parked(1);
      for (const text of ['two', 'three', 'four']) await b.send(text);
      const { body } = await parked;
      expect(body).toMatchObject({ messages: [{ index: 4, text: 'four' }], cursor: 5 });
    });

    test.each(['9'.repeat(15), '9'.repeat(30), '9'.repeat(400), '4294967296'])(
      'an enormous number parks and harms nothing (%s)',
      async (since) => {
        const { a, b } = await client.pair();
        const parked = a.poll({ since, wait: 1 });
        await client.parked(1);
        await b.send('x');
        await clock.advance(2_000);
        expect((await parked).status).toBe(204);
      },
    );
  });

  describe('pages', () => {
    test('hold at most 500 events', async () => {
      const { a } = await client.pair();
      for (let sent = 2; sent < 620; sent += 103)
        await Promise.all(Array.from({ length: 103 }, (_, n) => a.send(`${sent + n}`)));
      const first = await a.poll({ since: 0 });
      expect(first.body.messages).toHaveLength(500);
      expect(first.body.cursor).toBe(500);
      const second = await a.poll({ since: 500 });
      expect(second.body.messages.map(({ index }) => index)).toEqual(
        Array.from({ length: 120 }, (_, n) => 500 + n),
      );
      expect(second.body.cursor).toBe(620);
    });

    test('hold about 1 MiB of text, and at least one event', async () => {
      const { a } = await client.pair();
      const text = 'x'.repeat(65_536);
      for (let n = 0; n < 40; n++) await a.send(text);
      let since = 2;
      let seen = 0;
      while (since < 42) {
        const { body } = await a.poll({ since });
        expect(body.messages.length).toBeGreaterThan(0);
        expect(body.messages.length).toBeLessThanOrEqual(17);
        expect(body.cursor).toBe(since + body.messages.length);
        seen += body.messages.length;
        since = body.cursor;
      }
      expect(seen).toBe(40);
    });
  });

  test('is never limited (checklist 23)', async () => {
    const limited = await startOn({ clock, rlJoinsPerHour: 5, rlMessagesPerHour: 5 });
    const peer = await (await new ChannelClient(limited).create()).join('a');
    for (let n = 0; n < 100; n++) expect((await peer.poll({ since: 0 })).status).toBe(200);
    await limited.close();
  });

  describe('parked polls', () => {
    test('un-park as soon as the client closes the connection', async () => {
      const { a } = await client.pair();
      const abandon = new AbortController();
      const parked = a.poll({ since: 2 }, { signal: abandon.signal });
      await client.parked(1);
      abandon.abort();
      await expect(parked).rejects.toThrow('abort');
      await client.parked(0);
    });

    test('are at most four per participant: a fifth answers the oldest with 204', async () => {
      const { a, b } = await client.pair();
      const done: string[] = [];
      const park = async (label: string, peer: Peer): Promise<{ status: number; cursor: unknown }> => {
        const { status, headers } = await peer.poll({ since: 2 });
        done.push(label);
        return { status, cursor: headers['parley-cursor'] };
      };
      const other = park('other', b);
      await client.parked(1);
      const polls = [];
      for (let n = 1; n <= 4; n++) {
        polls.push(park(`${n}`, a));
        await client.parked(n + 1);
      }
      for (let n = 5; n <= 8; n++) {
        polls.push(park(`${n}`, a));
        expect(await polls[n - 5]).toEqual({ status: 204, cursor: '2' });
        await client.parked(5);
      }
      expect(done).toEqual(['1', '2', '3', '4']);
      await b.send('x');
      const rest = await Promise.all([...polls.slice(4), other]);
      expect(rest.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    });
  });

  test('accepts the credentials as headers, so that they need not stand in the URL', async () => {
    const { channel, a } = await client.pair();
    const headers = { authorization: `Bearer ${channel.token}`, 'x-participant-id': a.id };
    const answer = await client.get(`${channel.path}/poll?since=1`, headers);
    expect(answer).toMatchObject({ status: 200, body: { cursor: 2 } });
  });
});
