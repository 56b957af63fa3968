import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChannelClient } from '../testing/channel-client.ts';
import type { Answer } from '../testing/http-client.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';

function expectRefused({ status, body, headers }: Answer): void {
  expect({ status, body }).toEqual({ status: 400, body: { error: 'invalid_host' } });
  expect(headers['cache-control']).toBe('no-store');
}

describe('channel › invalid_host (checklist 9)', () => {
  let server: TestServer;
  let client: ChannelClient;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    client = new ChannelClient(server);
  });
  afterAll(() => server.close());

  const hosts = [
    'a"b',
    '$(x)',
    'a b',
    'a;id',
    'a`id`',
    "a'b",
    'a/b',
    'a@b',
    'a?b',
    'a#b',
    'a\\b',
    'a:port',
    'a:123456',
    'a:',
    ':80',
    '-',
    '[::1',
    '[::1]x',
    'é',
    '<script>',
  ];
  const routes = ['/', '/llms.txt', '/bootstrap.sh', '/loop.sh', '/helpers.sh', '/skill.sh'];
  test.each(hosts)('for %j', async (host) => {
    const headers = { host };
    expectRefused(await client.call('POST', '/channels', { headers }));
    expectRefused(await client.get('/llms.txt', headers));
  });

  test.each([
    ...routes,
    '/agentalk/skill.md',
    `/c/${'a'.repeat(32)}?token=bb`,
    `/c/${'a'.repeat(32)}/bootstrap.sh?token=bb`,
    '/nowhere',
  ])('on %s', async (path) => {
    expectRefused(await client.get(path, { host: 'a"b' }));
  });

  test.each(['localhost', 'a-b.example', 'example:1', '127.0.0.1:65535', '[::1]', '[2001:db8::1]:7330'])(
    'but not for %s',
    async (host) => {
      expect((await client.get('/llms.txt', { host })).status).toBe(200);
    },
  );
});
