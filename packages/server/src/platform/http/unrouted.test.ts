import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpClient } from '../../testing/http-client.ts';
import { RawSocket } from '../../testing/raw-socket.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';

describe('unrouted requests', () => {
  let server: TestServer;
  let client: HttpClient;
  beforeAll(async () => {
    server = await startServer({ allowedHosts: ['*'] });
    client = new HttpClient(server);
  });
  afterAll(() => server.close());

  /** With a target that no client would let through. */
  const ask = (target: string): Promise<string> =>
    new RawSocket(server.url)
      .write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      .untilClosed();

  test.each([
    '/v1/agent',
    '/v1/agent/nothing',
    '/v1/listings/a/b/c',
    '/v1/rooms/',
    '/v1/mode/x',
    '/v1/capabilities/x',
  ])('%s answers as the rooms protocol does', async (path) => {
    const { status, headers, body } = await client.call('POST', path, {
      headers: { 'x-request-id': 'mine' },
    });
    expect(status).toBe(404);
    expect(headers['x-request-id']).toBe('mine');
    expect(body).toEqual({ error: 'not_found', status: 404, recoverable: false, hint: 'No such resource.' });
  });

  test.each([
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/agentsx/y',
    '/v1/roomsx',
    '/v1/keys/a/b',
    '/v1/nothing?token=x',
  ])('%s answers as the delivery protocol does', async (path) => {
    const { status, headers, body } = await client.call('GET', path, { headers: { 'x-request-id': 'mine' } });
    expect(status).toBe(404);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-/);
    const envelope = { code: 'http_error', message: 'nothing is served at this path', status: 404 };
    expect(body).toEqual({ error: envelope, detail: { error: envelope } });
  });

  describe('a malformed percent escape is told in the shape of who owns the path', () => {
    test.each(['/v1/rooms/%zz', '/v1/rooms/%ff/state', '/v1/agent/%', '/v1/listings/%e0%a4%a/connect?x=%zz'])(
      'rooms: %s',
      async (path) => {
        const { status, headers, body } = await client.call('POST', path, {
          headers: { 'x-request-id': 'mine' },
        });
        expect(status).toBe(400);
        expect(headers).toMatchObject({
          'x-request-id': 'mine',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'content-type': 'application/json; charset=utf-8',
        });
        expect(body).toEqual({
          error: 'invalid_request',
          status: 400,
          recoverable: false,
          hint: 'The path has a malformed percent escape.',
        });
      },
    );

    test('delivery', async () => {
      const { status, headers, body } = await client.call('GET', '/v1/agents/%zz');
      const envelope = {
        code: 'http_error',
        message: 'the path holds a malformed percent escape',
        status: 400,
      };
      expect([status, body]).toEqual([400, { error: envelope, detail: { error: envelope } }]);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-/);
    });

    test('memory', async () => {
      const { status, body } = await client.call('GET', '/v1/continuity/%zz');
      expect([status, body]).toEqual([400, { detail: 'Malformed percent escape in path' }]);
    });

    test.each(['/channels/%zz', '/%zz', '/%', '/x/%c0%ae', '/%ff?token=secret', '/%zz/%3ftoken=secret'])(
      'pages: %s is as unknown as any other',
      async (path) => {
        const { status, headers, text } = await client.call('GET', path);
        expect(status).toBe(404);
        expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
        expect(text).toContain(path.split(/\?|%3f/)[0]);
        expect(text).not.toContain('secret');
      },
    );
  });

  describe('a target with a host, as a proxy is asked for one', () => {
    test.each(['http://parley.example', 'HTTPS://someone:word@parley.example:7330'])(
      'of %s is owned like its path',
      async (origin) => {
        expect(await ask(`${origin}/v1/rooms/`)).toMatch(/^HTTP\/1\.1 404 [^]*"error":"not_found"/);
        expect(await ask(`${origin}/v1/nothing`)).toMatch(/^HTTP\/1\.1 404 [^]*"code":"http_error"/);
        expect(await ask(`${origin}/nothing`)).toMatch(/^HTTP\/1\.1 404 [^]*text\/markdown/);
      },
    );

    test('is unknown when it cannot be read, and the server goes on', async () => {
      for (const target of ['http://[/v1/rooms/a', 'http://a:x:y/', 'http:///', 'http://a/v1/rooms/%zz']) {
        const answer = await ask(target);
        expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*text\/markdown/);
        expect(answer).toContain(`\`GET ${target}\``);
      }
      expect((await client.get('/health')).status).toBe(200);
    });
  });

  test('does not look at the body', async () => {
    const { status } = await client.call('POST', '/v1/nothing', {
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(404);
  });

  test('leaves the rest to the pages', async () => {
    for (const path of ['/v1x', '/nothing']) {
      const { status, headers } = await client.call('GET', path);
      expect(status).toBe(404);
      expect(headers['content-type']).toMatch(/^text\/markdown/);
    }
  });
});
