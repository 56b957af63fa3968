import { afterEach, describe, expect, test } from 'vitest';
import { HttpClient } from '../../testing/http-client.ts';
import { startServer, type TestOptions, type TestServer } from '../../testing/start-server.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(options: TestOptions = {}): Promise<HttpClient> {
  const server = await startServer({ rateLimits: false, ...options });
  servers.push(server);
  return new HttpClient(server);
}

/** One path of each protocol that answers in its own shape. */
const OWNED = [
  '/v1/agents',
  '/v1/mode',
  '/v1/agent/stream',
  '/v1/continuity/list',
  '/skill.md',
  '/v1/nowhere',
];
const ANYBODYS = ['/', '/llms.txt', '/loop.sh', `/c/${'a'.repeat(32)}?token=bb`, '/health', '/metrics'];

describe('the host of a request, on a loopback address', () => {
  test.each(OWNED)('refuses a name that a stranger may own: %s', async (path) => {
    const client = await serve();
    const answer = await client.get(path, { host: 'rebound.example' });
    expect(answer.status).toBe(421);
    expect(answer.text).toContain('PARLEY_ALLOWED_HOSTS');
    expect(answer.text).toContain('PARLEY_PUBLIC_URL');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('each protocol says it in its own shape', async () => {
    const client = await serve();
    const headers = { host: 'rebound.example:7330' };
    expect((await client.get('/v1/agents', headers)).body).toMatchObject({
      error: { code: 'misdirected_request', status: 421 },
      detail: { error: { code: 'misdirected_request' } },
    });
    expect((await client.get('/v1/mode', headers)).body).toMatchObject({
      error: 'misdirected_request',
      status: 421,
      recoverable: false,
    });
    const { body } = await client.call('POST', '/v1/continuity/list', { body: {}, headers });
    expect(body).toMatchObject({ detail: expect.stringContaining('rebound.example') });
  });

  test.each([
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1:9',
    '127.8.8.8',
    '[::1]',
    '[::1]:7330',
    'a.localhost:80',
  ])('answers to %s', async (host) => {
    const client = await serve();
    expect((await client.get('/v1/mode', { host })).status).toBe(200);
  });

  test.each(['localhost.evil.example', '127.0.0.1.evil.example', '1270.0.0.1', '[::2]', 'évil'])(
    'is not taken in by %s',
    async (host) => {
      const client = await serve();
      expect((await client.get('/v1/mode', { host })).status).toBe(421);
    },
  );

  test('answers to the public URL and to what the operator lists, with any port', async () => {
    const client = await serve({ publicUrl: 'https://parley.example.com', allowedHosts: ['box.lan'] });
    for (const host of ['parley.example.com', 'Parley.Example.com:443', 'box.lan:7330', 'localhost']) {
      expect([host, (await client.get('/v1/mode', { host })).status]).toEqual([host, 200]);
    }
    expect((await client.get('/v1/mode', { host: 'other.lan' })).status).toBe(421);
    const any = await serve({ allowedHosts: ['*'] });
    expect((await any.get('/v1/mode', { host: 'other.lan' })).status).toBe(200);
  });

  test.each(ANYBODYS)('sealed channels and what everybody may see take any host: %s', async (path) => {
    const client = await serve();
    expect((await client.get(path, { host: 'any.example' })).status).toBe(200);
  });

  test('a channel can be made under any host', async () => {
    const client = await serve();
    const made = await client.call('POST', '/channels', { headers: { host: 'any.example' } });
    expect(made.status).toBe(200);
  });
});

describe('on another address', () => {
  test('any host will do until hosts are listed', async () => {
    const open = await serve({ host: '0.0.0.0' });
    expect((await open.get('/v1/mode', { host: 'any.example' })).status).toBe(200);
    const listed = await serve({ host: '0.0.0.0', allowedHosts: ['mine.example'] });
    expect((await listed.get('/v1/mode', { host: 'any.example' })).status).toBe(421);
    expect((await listed.get('/v1/mode', { host: 'mine.example:1' })).status).toBe(200);
  });
});

describe('a page of another origin', () => {
  const foreign = { origin: 'https://evil.example' };
  const register = { path: '/v1/agent/register', body: { name: 'Planted' } };
  const changes = [
    register,
    { path: '/v1/auth/register', body: { email: 'planted@example.com' } },
    { path: '/v1/auth/device-code', body: { device_code: 'x'.repeat(20) } },
    { path: '/v1/messages', body: { to: 'a', body: 'x' } },
  ];

  test.each(changes)('changes nothing without a credential: $path', async ({ path, body }) => {
    const client = await serve();
    for (const origin of [foreign.origin, 'null', 'http://localhost:3000']) {
      const answer = await client.call('POST', path, { body, headers: { origin } });
      expect([origin, answer.status]).toEqual([origin, 403]);
      expect(answer.text).toContain('PARLEY_CORS_ORIGINS');
    }
  });

  test('sent as a form, which browsers send without asking, is no way around', async () => {
    const client = await serve();
    const headers = { ...foreign, 'content-type': 'text/plain' };
    expect((await client.call('POST', register.path, { body: register.body, headers })).status).toBe(403);
  });

  test('may read, use sealed channels, and use a credential that it has', async () => {
    const client = await serve();
    expect((await client.get('/v1/mode', foreign)).status).toBe(200);
    expect((await client.call('POST', '/channels', { headers: foreign })).status).toBe(200);
    const made = await client.call<{ api_key: string }>('POST', register.path, { body: register.body });
    const key = made.body.api_key;
    const login = await client.call('POST', '/v1/agent/login', { body: { api_key: key }, headers: foreign });
    expect(login.status).toBe(200);
    const listing = await client.call('POST', '/v1/listings', {
      body: { topic: 'x' },
      headers: { ...foreign, authorization: `Bearer ${key}` },
    });
    expect(listing.status).toBe(201);
  });

  test("the server's own pages and allowed origins may", async () => {
    const client = await serve({ corsOrigins: ['https://app.example'], publicUrl: 'https://parley.example' });
    const own = client.url.replace('http://', '');
    const askers: readonly Record<string, string>[] = [
      { origin: `http://${own}` },
      { origin: 'https://app.example' },
      { origin: 'https://parley.example' },
      {},
    ];
    for (const headers of askers) {
      const answer = await client.call('POST', register.path, { body: { name: 'Own' }, headers });
      expect([headers, answer.status]).toEqual([headers, 201]);
    }
  });
});

test('a login page never follows the host of a request', async () => {
  const client = await serve({ allowedHosts: ['*'] });
  const begun = await client.call<{ verification_url: string }>('POST', '/v1/auth/device-code', {
    body: { device_code: 'a-code-of-some-length' },
    headers: { host: 'evil.example' },
  });
  expect(begun.body.verification_url).toMatch(new RegExp(`^${client.url}/`));
});
