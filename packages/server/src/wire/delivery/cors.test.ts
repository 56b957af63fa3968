import { beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import type { TestServer } from '../../testing/start-server.ts';

const EXPOSED =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ' +
  'X-CueAPI-Usage-Warning, X-CueAPI-Priority-Downgraded, ETag';

describeEachServer('delivery › pages of any origin', (start) => {
  let server: TestServer;
  let max: MessageClient;
  const origin = { origin: 'https://console.example' };

  beforeAll(async () => {
    server = await start();
    max = await MessageClient.register(server);
    await max.create({ slug: 'app' });
    await max.attach('app');
  });

  const read = async (method: string, path: string, call: object = {}, caller = max) => {
    const { status, headers } = await caller.call(method, path, { headers: origin, ...call });
    return [status, headers['access-control-allow-origin'], headers['access-control-expose-headers']];
  };

  test.each([
    [200, 'GET', '/v1/agents', {}],
    [201, 'POST', '/v1/messages', { body: { to: 'app', body: 'x' } }],
    [204, 'OPTIONS', '/v1/messages', {}],
    [400, 'GET', '/v1/agents/a@b@c', {}],
    [401, 'GET', '/v1/agents', { key: 'cue_sk_00000000000000000000000000000000' }],
    [404, 'GET', '/v1/messages/msg_zzzzzzzzzzzz', {}],
    [404, 'GET', '/v1/nowhere', {}],
    [400, 'GET', '/v1/agents/%zz', {}],
    [405, 'DELETE', '/v1/messages', {}],
    [413, 'POST', '/v1/messages', { body: { to: 'app', body: 'x'.repeat(1024 * 1024) } }],
    [422, 'POST', '/v1/messages', { body: {} }],
  ])('may read the headers of a %i to %s %s', async (status, method, path, call) => {
    expect(await read(method, path, call)).toEqual([status, '*', EXPOSED]);
  });

  test('may read the headers of a refusal for coming too often', async () => {
    const eve = await MessageClient.register(await start({ rlRequestsPerMinute: 1 }));
    expect(await read('GET', '/v1/agents', {}, eve)).toEqual([200, '*', EXPOSED]);
    expect(await read('GET', '/v1/agents', {}, eve)).toEqual([429, '*', EXPOSED]);
  });

  test('may read those of a stream', async () => {
    const path = '/v1/agents/app/live-sessions/main/stream';
    const stream = await SseReader.open(server, path, { key: max.owner.key, headers: origin });
    expect(stream.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': EXPOSED,
    });
    stream.close();
  });
});
