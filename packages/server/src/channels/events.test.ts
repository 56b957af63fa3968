import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import type { TestServer } from '../testing/start-server.ts';
import { describeEachStore } from './testing/each-store.ts';

interface Channel {
  url: string;
  token: string;
  participantId: string;
}

let server: TestServer;
let clock: FakeClock;

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return (await answer.json()) as Record<string, unknown>;
}

async function openChannel(): Promise<Channel> {
  const { channel_id, token } = await post(`${server.url}/channels`, {});
  const url = `${server.url}/channels/${String(channel_id)}`;
  const { participant_id } = await post(`${url}/join`, { token, name: 'ada' });
  return { url, token: String(token), participantId: String(participant_id) };
}

const say = (channel: Channel, text: string): Promise<Record<string, unknown>> =>
  post(`${channel.url}/send`, { token: channel.token, participant_id: channel.participantId, text });

/** A real event stream, read until `enough` says so. */
async function listen(
  channel: Channel,
  { headers = {}, query = '' }: { headers?: Record<string, string>; query?: string } = {},
): Promise<{
  response: Response;
  until: (enough: (text: string) => boolean) => Promise<string>;
  stop: () => void;
}> {
  const abort = new AbortController();
  const response = await fetch(`${channel.url}/events${query}`, {
    signal: abort.signal,
    headers: {
      Authorization: `Bearer ${channel.token}`,
      'X-Participant-Id': channel.participantId,
      ...headers,
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    response,
    stop: () => abort.abort(),
    async until(enough) {
      while (!enough(text)) {
        const chunk = await reader?.read();
        if (!chunk || chunk.done) return text;
        text += chunk.value;
      }
      return text;
    },
  };
}

const data = (text: string): Record<string, unknown>[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as Record<string, unknown>);

describeEachStore('channel › events', (startOn) => {
  beforeEach(async () => {
    clock = new FakeClock();
    server = await startOn({ clock, rateLimits: false });
  });
  afterEach(() => server.close());

  test('sends what is there, then what comes, with the index as id', async () => {
    const channel = await openChannel();
    await say(channel, 'before');
    const stream = await listen(channel);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    await stream.until((text) => text.includes('before'));
    await say(channel, 'after');
    const text = await stream.until((sofar) => sofar.includes('after'));
    expect(text.startsWith('retry: 3000\n\nid: 0\ndata: {"type":"join"')).toBe(true);
    expect(data(text).map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(data(text)[2]).toMatchObject({ type: 'message', from: 'ada', text: 'after' });
    stream.stop();
  });

  test('goes on after Last-Event-ID, and takes credentials from the query too', async () => {
    const channel = await openChannel();
    for (const text of ['one', 'two', 'three']) await say(channel, text);
    const resumed = await listen(channel, { headers: { 'Last-Event-ID': '2' } });
    expect(data(await resumed.until((text) => text.includes('three'))).map(({ index }) => index)).toEqual([
      3,
    ]);
    resumed.stop();
    const bare = { ...channel, token: '', participantId: '' };
    const query = `?token=${channel.token}&participant_id=${channel.participantId}&since=2`;
    const stream = await listen(bare, { query, headers: { Authorization: '', 'X-Participant-Id': '' } });
    expect(data(await stream.until((text) => text.includes('three'))).map(({ index }) => index)).toEqual([
      2, 3,
    ]);
    stream.stop();
  });

  test('answers errors before the stream begins, in the order of poll', async () => {
    const channel = await openChannel();
    const answer = async (headers: Record<string, string>): Promise<unknown[]> => {
      const response = await fetch(`${channel.url}/events`, { headers });
      return [response.status, await response.json()];
    };
    expect(await answer({})).toEqual([400, { error: 'missing_or_invalid_query' }]);
    expect(await answer({ Authorization: 'Bearer 00', 'X-Participant-Id': '00' })).toEqual([
      404,
      { error: 'channel_or_token_invalid' },
    ]);
    expect(await answer({ Authorization: `Bearer ${channel.token}`, 'X-Participant-Id': '00' })).toEqual([
      400,
      { error: 'participant_not_in_channel' },
    ]);
  });

  test('says why it ends when the channel ends', async () => {
    const channel = await openChannel();
    const stream = await listen(channel);
    await stream.until((text) => text.includes('"join"'));
    await clock.leap(37 * 3_600_000);
    const text = await stream.until(() => false);
    expect(text.endsWith('\n\n')).toBe(true);
    expect(text.split('\n').slice(-4, -2)).toEqual([
      'event: end',
      'data: {"error":"channel_or_token_invalid","evicted_reason":"evicted_max_lifetime","evicted_s_ago":0}',
    ]);
  });

  test('ends for who has left, with the leave as the last event', async () => {
    const channel = await openChannel();
    const other = await post(`${channel.url}/join`, { token: channel.token, name: 'bob' });
    const stream = await listen(channel);
    await stream.until((text) => text.includes('bob'));
    await post(`${channel.url}/leave`, { token: channel.token, participant_id: channel.participantId });
    await say({ ...channel, participantId: String(other['participant_id']) }, 'after');
    expect(data(await stream.until(() => false)).map(({ type }) => type)).toEqual(['join', 'join', 'leave']);
  });

  test('delivers the event that fills the channel before it ends', async () => {
    await server.close();
    server = await startOn({ clock, rateLimits: false, chMaxMessages: 3 });
    const channel = await openChannel();
    const stream = await listen(channel);
    await stream.until((text) => text.includes('"join"'));
    await say(channel, 'second');
    await say(channel, 'last');
    expect(data(await stream.until(() => false)).map(({ text }) => text)).toEqual([
      undefined,
      'second',
      'last',
      undefined,
    ]);
  });

  test('keeps the channel alive and its reader present, and sends a comment every 20 s', async () => {
    const channel = await openChannel();
    const stream = await listen(channel);
    await stream.until((text) => text.includes('"join"'));
    for (let minute = 0; minute < 40; minute++) await clock.advance(60_000);
    await stream.until((text) => text.includes(': keepalive\n\n'));
    const query = `token=${channel.token}&participant_id=${channel.participantId}`;
    const poll = await fetch(`${channel.url}/poll?${query}`);
    expect(((await poll.json()) as { roster: unknown }).roster).toEqual([
      { name: 'ada', key_fp: null, last_seen_s: 0 },
    ]);
    stream.stop();
  });

  test('ends the oldest of five streams of one participant', async () => {
    const channel = await openChannel();
    const oldest = await listen(channel);
    const others = [];
    for (let count = 0; count < 4; count++) others.push(await listen(channel));
    expect(await oldest.until(() => false)).not.toContain('event: end');
    for (const stream of others) stream.stop();
  });

  test('starts at the end of the log when the cursor lies past it', async () => {
    const channel = await openChannel();
    const stream = await listen(channel, { query: '?since=999' });
    await say(channel, 'hello');
    expect(data(await stream.until((text) => text.includes('hello'))).map(({ index }) => index)).toEqual([1]);
    stream.stop();
  });

  test('answers HEAD with the same type and no stream', async () => {
    const channel = await openChannel();
    const headers = { Authorization: `Bearer ${channel.token}`, 'X-Participant-Id': channel.participantId };
    const response = await fetch(`${channel.url}/events`, { method: 'HEAD', headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });
});
