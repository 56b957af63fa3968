import type { CreateAnswer } from '@parley/protocol/channels/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChannelClient } from '../testing/channel-client.ts';
import type { Answer } from '../testing/http-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';

const occurrences = (text: string, part: string): number => text.split(part).length - 1;

describe('channel › create', () => {
  const clock = new FakeClock();
  let server: TestServer;
  let client: ChannelClient;
  const create = (call = {}): Promise<Answer<CreateAnswer>> =>
    client.call<CreateAnswer>('POST', '/channels', call);

  beforeAll(async () => {
    server = await startServer({ clock, rateLimits: false });
    client = new ChannelClient(server);
  });
  afterAll(() => server.close());

  test('answers with ids and URLs that begin with the base (checklist 1)', async () => {
    const { status, headers, body } = await create();
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(Object.keys(body)).toEqual([
      'channel_id',
      'token',
      'api_join_url',
      'api_poll_url',
      'api_send_url',
      'share_message',
      'share_message_human',
    ]);
    expect(body.channel_id).toMatch(/^[0-9a-f]{32}$/);
    expect(body.token).toMatch(/^[0-9a-f]{48}$/);
    expect(body.api_join_url).toBe(`${server.url}/channels/${body.channel_id}/join`);
    expect(body.api_poll_url).toBe(`${server.url}/channels/${body.channel_id}/poll`);
    expect(body.api_send_url).toBe(`${server.url}/channels/${body.channel_id}/send`);
  });

  test('never gives an id or a token twice', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create()));
    expect(new Set(answers.map(({ body }) => body.channel_id)).size).toBe(50);
    expect(new Set(answers.map(({ body }) => body.token)).size).toBe(50);
  });

  test('does not join the creator', async () => {
    const channel = await client.create();
    const { body } = await channel.tryJoin('first');
    expect(body).toMatchObject({ participants: ['first'], cursor: 1 });
  });

  test('keeps a channel nobody has joined yet (checklist 16)', async () => {
    const channel = await client.create();
    await clock.advance(1_000);
    expect((await channel.tryJoin('late')).status).toBe(200);
    const other = await client.create();
    await clock.advance(5 * 60_000);
    expect((await other.tryJoin('later')).status).toBe(200);
  });

  const bodies: [string, string | Buffer | undefined, string | undefined][] = [
    ['no body', undefined, undefined],
    ['no body but a JSON content type', undefined, 'application/json'],
    ['an empty object', '{}', 'application/json'],
    ['broken JSON', '{"a":', 'application/json'],
    ['a form', 'a=1&b=2', 'application/x-www-form-urlencoded'],
    ['plain text', 'hello', 'text/plain'],
    ['an unknown type', Buffer.from([0, 255, 1]), 'application/x-nonsense'],
    ['a malformed content type', 'x', 'nonsense'],
    ['an empty content type', 'x', ''],
  ];
  test.each(bodies)('ignores %s', async (_label, body, type) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    expect((await create({ body, headers })).status).toBe(200);
  });

  test('puts the host the caller used into the URLs', async () => {
    const { body } = await create({ headers: { host: 'meet.example:8443' } });
    expect(body.api_join_url).toBe(`http://meet.example:8443/channels/${body.channel_id}/join`);
    expect(body.share_message).toContain(`http://meet.example:8443/c/${body.channel_id}?token=`);
  });

  test('puts the configured public URL first', async () => {
    const other = await startServer({ publicUrl: 'https://parley.example/talk/' });
    const { body } = await new ChannelClient(other).call<CreateAnswer>('POST', '/channels', {
      headers: { host: 'meet.example' },
    });
    expect(body.api_send_url).toBe(`https://parley.example/talk/channels/${body.channel_id}/send`);
    await other.close();
  });

  describe('share_message', () => {
    test('hands over the join URL with a placeholder for the key', async () => {
      const { body } = await create();
      const url = `${server.url}/c/${body.channel_id}?token=${body.token}#k=__KEY__`;
      const lines = body.share_message.split('\n');
      expect(body.share_message).toMatch(/^Channel ready\./);
      expect(lines.filter((line) => line === url)).toHaveLength(1);
      expect(occurrences(body.share_message, body.channel_id)).toBe(1);
      expect(occurrences(body.share_message, '__KEY__')).toBe(1);
      const above = lines[lines.indexOf(url) - 1];
      expect(above).toContain('Talk to my other Claude');
      expect(above).toContain('curl this URL to start');
    });

    test('says why it is worded so, and that it serves several peers', async () => {
      const { share_message: message } = (await create()).body;
      expect(message).toMatch(/prompt-injection|browser link/);
      expect(message).toMatch(/several|more than one|each|every/i);
      for (const unwanted of ['__TOPIC__', 'Tap here', 'nothing to install'])
        expect(message).not.toContain(unwanted);
    });

    test('has a variant for people', async () => {
      const { body } = await create();
      const human = body.share_message_human ?? '';
      const url = `${server.url}/c/${body.channel_id}?token=${body.token}#k=__KEY__`;
      expect(occurrences(human, url)).toBe(1);
      expect(occurrences(human, '__KEY__')).toBe(1);
      expect(occurrences(human, '__TOPIC__')).toBe(1);
      expect(human).not.toMatch(/[{}]/);
      expect(human).not.toMatch(/curl/i);
      expect(human).toMatch(/AI agent/i);
      expect(human).toMatch(/end-to-end.encrypted/i);
      expect(human).toMatch(/short-lived|temporary|disappear|gone/i);
    });
  });
});
