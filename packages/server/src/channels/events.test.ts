import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChannelClient, type Peer } from '../testing/channel-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { SseReader } from '../testing/sse-reader.ts';
import type { TestServer } from '../testing/start-server.ts';
import { describeEachStore } from './testing/each-store.ts';

let server: TestServer;
let clock: FakeClock;

const openChannel = async (): Promise<Peer> => await (await new ChannelClient(server).create()).join('ada');

const secretsOf = ({ channel, id }: Peer): Record<string, string> => ({
  Authorization: `Bearer ${channel.token}`,
  'X-Participant-Id': id,
});

const listen = (
  peer: Peer,
  { headers = {}, query = '' }: { headers?: Record<string, string>; query?: string } = {},
): Promise<SseReader> =>
  SseReader.open(server, `${peer.channel.path}/events${query}`, {
    headers: { ...secretsOf(peer), ...headers },
  });

const data = ({ frames }: SseReader): Record<string, unknown>[] => frames.map((frame) => frame.data);
const saying =
  (words: string) =>
  ({ text }: SseReader): boolean =>
    text.includes(words);

describeEachStore('channel › events', (startOn) => {
  beforeEach(async () => {
    clock = new FakeClock();
    server = await startOn({ clock, rateLimits: false });
  });
  afterEach(() => server.close());

  test('sends what is there, then what comes, with the index as id', async () => {
    const ada = await openChannel();
    await ada.send('before');
    const stream = await listen(ada);
    expect(stream.headers['content-type']).toBe('text/event-stream');
    await stream.until(saying('before'));
    await ada.send('after');
    await stream.until(saying('after'));
    expect(stream.text.startsWith('retry: 3000\n\nid: 0\ndata: {"type":"join"')).toBe(true);
    expect(data(stream).map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(data(stream)[2]).toMatchObject({ type: 'message', from: 'ada', text: 'after' });
    stream.close();
  });

  test('goes on after Last-Event-ID, and takes credentials from the query too', async () => {
    const ada = await openChannel();
    for (const text of ['one', 'two', 'three']) await ada.send(text);
    const resumed = await listen(ada, { headers: { 'Last-Event-ID': '2' } });
    expect(data(await resumed.until(saying('three'))).map(({ index }) => index)).toEqual([3]);
    resumed.close();
    const query = `?token=${ada.channel.token}&participant_id=${ada.id}&since=2`;
    const stream = await listen(ada, { query, headers: { Authorization: '', 'X-Participant-Id': '' } });
    expect(data(await stream.until(saying('three'))).map(({ index }) => index)).toEqual([2, 3]);
    stream.close();
  });

  test('answers errors before the stream begins, in the order of poll', async () => {
    const ada = await openChannel();
    const answer = async (headers: Record<string, string>): Promise<unknown[]> => {
      const { status, body } = await ada.channel.client.get(`${ada.channel.path}/events`, headers);
      return [status, body];
    };
    expect(await answer({})).toEqual([400, { error: 'missing_or_invalid_query' }]);
    expect(await answer({ Authorization: 'Bearer 00', 'X-Participant-Id': '00' })).toEqual([
      404,
      { error: 'channel_or_token_invalid' },
    ]);
    expect(await answer({ ...secretsOf(ada), 'X-Participant-Id': '00' })).toEqual([
      400,
      { error: 'participant_not_in_channel' },
    ]);
  });

  test('says why it ends when the channel ends', async () => {
    const ada = await openChannel();
    const stream = await listen(ada);
    await stream.until(saying('"join"'));
    await clock.leap(37 * 3_600_000);
    const { text } = await stream.ended();
    expect(text.endsWith('\n\n')).toBe(true);
    expect(text.split('\n').slice(-4, -2)).toEqual([
      'event: end',
      'data: {"error":"channel_or_token_invalid","evicted_reason":"evicted_max_lifetime","evicted_s_ago":0}',
    ]);
  });

  test('ends for who has left, with the leave as the last event', async () => {
    const ada = await openChannel();
    const bob = await ada.channel.join('bob');
    const stream = await listen(ada);
    await stream.until(saying('bob'));
    await ada.leave();
    await bob.send('after');
    expect(data(await stream.ended()).map(({ type }) => type)).toEqual(['join', 'join', 'leave']);
  });

  test('delivers the event that fills the channel before it ends', async () => {
    await server.close();
    server = await startOn({ clock, rateLimits: false, chMaxMessages: 3 });
    const ada = await openChannel();
    const stream = await listen(ada);
    await stream.until(saying('"join"'));
    await ada.send('second');
    await ada.send('last');
    expect(data(await stream.ended()).map(({ text }) => text)).toEqual([
      undefined,
      'second',
      'last',
      undefined,
    ]);
  });

  test('keeps the channel alive and its reader present, and sends a comment every 20 s', async () => {
    const ada = await openChannel();
    const stream = await listen(ada);
    await stream.until(saying('"join"'));
    for (let minute = 0; minute < 40; minute++) await clock.advance(60_000);
    await stream.until(saying(': keepalive\n\n'));
    expect((await ada.poll()).body.roster).toEqual([{ name: 'ada', key_fp: null, last_seen_s: 0 }]);
    stream.close();
  });

  test('ends the oldest of five streams of one participant', async () => {
    const ada = await openChannel();
    const oldest = await listen(ada);
    const others = [];
    for (let count = 0; count < 4; count++) others.push(await listen(ada));
    expect((await oldest.ended()).text).not.toContain('event: end');
    for (const stream of others) stream.close();
  });

  test('starts at the end of the log when the cursor lies past it', async () => {
    const ada = await openChannel();
    const stream = await listen(ada, { query: '?since=999' });
    await ada.send('hello');
    expect(data(await stream.until(saying('hello'))).map(({ index }) => index)).toEqual([1]);
    stream.close();
  });

  test('answers HEAD with the same type and no stream', async () => {
    const ada = await openChannel();
    const call = { headers: secretsOf(ada) };
    const { status, headers, text } = await ada.channel.client.call(
      'HEAD',
      `${ada.channel.path}/events`,
      call,
    );
    expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream', '']);
  });

  test('HEAD takes the place of no stream', async () => {
    const ada = await openChannel();
    const streams = await Promise.all([1, 2, 3, 4].map(() => listen(ada)));
    for (let count = 0; count < 4; count++) {
      await ada.channel.client.call('HEAD', `${ada.channel.path}/events`, { headers: secretsOf(ada) });
    }
    await ada.send('all have this');
    for (const stream of streams) await stream.until(saying('all have this'));
    expect(streams.map(({ over }) => over)).toEqual([false, false, false, false]);
    for (const stream of streams) stream.close();
  });
});
