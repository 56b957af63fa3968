import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChannelClient } from '../testing/channel-client.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';

const TEXT = 'sealed-text-that-must-not-be-seen';
const KEY = 'UEFSTEVZLXRlc3Qta2V5LTAwMQARIjNEVWZ3iJmqu8w';

describe('channel › privacy', () => {
  let server: TestServer;
  let client: ChannelClient;
  const secrets = new Set<string>([TEXT, KEY, 'smuggled']);
  const answers: string[] = [];

  beforeAll(async () => {
    server = await startServer({ logLevel: 'trace', rlMessagesPerHour: 4 });
    client = new ChannelClient(server);
    const channel = await client.create();
    const [a, b] = [await channel.join('visible-name'), await channel.join('other')];
    for (const secret of [channel.token, a.id, b.id]) secrets.add(secret);
    const parked = b.poll({ since: 2 });
    await client.parked(1);
    await a.send(TEXT);
    await parked;
    const headers = {
      authorization: `Bearer ${channel.token}`,
      'x-participant-id': a.id,
      cookie: 'smuggled',
    };
    await client.get(`${channel.path}/poll?since=0&extra=smuggled`, headers);

    // Everything that can go wrong, with secrets wherever they can stand.
    const { token } = channel;
    const bad = { token, participant_id: a.id, name: 'visible-name', text: TEXT };
    const failures = [
      () => client.post(`${channel.path}/join`, bad),
      () => client.post(`${channel.path}/send`, `{"token":"${token}","text":"${TEXT}`),
      () => client.post(`${channel.path}/send`, { ...bad, text: TEXT.repeat(3_000) }),
      () => client.post(`${channel.path}/send`, { ...bad, participant_id: token }),
      () => client.post(`${channel.path}/send`, { ...bad, note: 'over the limit' }),
      () => client.post(`${channel.path}/leave`, { token, participant_id: token }),
      () => client.post(`${channel.path}/leave`, { token: a.id, participant_id: a.id }),
      () => client.get(`${channel.path}/poll?token=${token}&participant_id=${a.id}&since=smuggled`),
      () => client.get(`/channels/%zz/poll?token=${token}&participant_id=${a.id}`),
      () => client.call('PUT', `${channel.path}/send?token=${token}`, { body: TEXT }),
      () => client.get(`/nowhere?token=${token}#k=${KEY}`),
      () => client.get(`/c/zz/bootstrap.sh?token=${token}`),
      () => client.call('POST', '/channels', { headers: { host: 'a"b', authorization: `Bearer ${token}` } }),
    ];
    for (const fail of failures) {
      const { status, text } = await fail();
      expect(status).toBeGreaterThanOrEqual(400);
      answers.push(text);
    }
    await client.get(`/c/${channel.id}?token=${token}`);
    await client.get(`/c/${channel.id}?token=${token}`, { accept: 'text/html' });
    await a.leave();
    await b.leave();
    answers.push((await b.poll()).text);
    await client.parked(0);
  });
  afterAll(() => server.close());

  test('keeps tokens, participant ids, texts and queries out of the log', () => {
    const log = server.rawLog();
    for (const secret of secrets) expect(log).not.toContain(secret);
    expect(log).not.toMatch(/"[^"]*\?[^"]*token=/);
  });

  test('keeps them out of error answers', () => {
    expect(answers.length).toBeGreaterThan(10);
    for (const answer of answers) for (const secret of secrets) expect(answer).not.toContain(secret);
  });

  test('logs one line per request with method, path, status, duration and address', () => {
    const requests = server.logs.filter(({ event }) => event === 'http');
    expect(requests.length).toBeGreaterThan(20);
    for (const line of requests) {
      expect(line).toEqual({
        level: 'info',
        ts: expect.any(String),
        event: 'http',
        method: expect.any(String),
        path: expect.stringMatching(/^\/[^?#]*$/),
        status: expect.any(Number),
        ms: expect.any(Number),
        ip: '127.0.0.1',
      });
    }
    expect(requests.filter(({ path }) => path === '/channels/%zz/poll')).toHaveLength(1);
  });

  test('logs every event of a channel’s life by its name', () => {
    const events = new Set(server.logs.map(({ event }) => event));
    const expected = [
      'listening',
      'channel_created',
      'join',
      'join_failed',
      'send',
      'send_failed',
      'leave',
      'channel_evicted',
      'ratelimit_reject',
    ];
    for (const name of expected) expect(events).toContain(name);
    expect(server.logs.find(({ event }) => event === 'send')).toMatchObject({ bytes: TEXT.length });
    expect(server.logs.find(({ event }) => event === 'join')).toMatchObject({ name: 'visible-name' });
    expect(events).not.toContain('unexpected_error');
  });
});
