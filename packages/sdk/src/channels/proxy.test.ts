import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ChannelClient } from './client.ts';
import { NodeTransport } from './node-transport.ts';
import { proxyFor } from './proxy.ts';

const chosen = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)?.href;

describe('proxy › choice', () => {
  test.each([
    ['http://p.example', { http_proxy: 'http://proxy:3128' }, 'http://proxy:3128/'],
    ['http://p.example', { http_proxy: 'proxy:3128' }, 'http://proxy:3128/'],
    ['http://p.example', { HTTP_PROXY: 'http://proxy:3128' }, undefined],
    ['https://p.example', { HTTPS_PROXY: 'http://proxy:3128' }, 'http://proxy:3128/'],
    ['https://p.example', { https_proxy: 'http://one', HTTPS_PROXY: 'http://two' }, 'http://one/'],
    ['https://p.example', { http_proxy: 'http://proxy:3128' }, undefined],
    ['https://p.example', { ALL_PROXY: 'http://proxy:3128' }, 'http://proxy:3128/'],
    ['https://p.example', { https_proxy: '' }, undefined],
    ['https://p.example', { https_proxy: 'socks5://proxy:1080' }, undefined],
    ['https://p.example', { https_proxy: '::' }, undefined],
  ])('%s with %j: %s', (url, env, proxy) => {
    expect(chosen(url, env)).toBe(proxy);
  });

  test.each([
    ['p.example', '*', true],
    ['p.example', 'p.example', true],
    ['p.example', 'other, .example', true],
    ['deep.P.example', 'p.EXAMPLE', true],
    ['notp.example', 'p.example', false],
    ['p.example', '', false],
    ['10.0.0.1', 'localhost,10.0.0.1', true],
    ['[fd00::1]', 'fd00::1', true],
    ['localhost', '', true],
    ['127.0.0.1', '', true],
    ['[::1]', '', true],
  ])('%s with no_proxy=%s: direct %s', (host, list, direct) => {
    const env = { http_proxy: 'http://proxy', NO_PROXY: list };
    expect(chosen(`http://${host}:7330/x`, env) === undefined).toBe(direct);
  });
});

describe('proxy › requests', () => {
  let server: TestServer;
  let proxy: Server;
  let seen: string[];
  const env = () => ({ http_proxy: proxyUrl(), https_proxy: proxyUrl() });
  const proxyUrl = () => `http://ann:pass%20word@127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    seen = [];
    proxy = createServer((incoming, answer) => {
      seen.push(`${incoming.method} ${incoming.url} ${auth(incoming)}`);
      // The name is known to the proxy alone, as in a network that has no other way out.
      const { port, hostname } = new URL(server.url);
      const { pathname, search, host } = new URL(incoming.url ?? '');
      const headers = { ...incoming.headers, host };
      const onward = request({ hostname, port, path: pathname + search, method: incoming.method, headers });
      onward.on('response', (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      });
      incoming.pipe(onward);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => proxy.close());

  test('go to the proxy with their whole URL, and the server sees the name that was meant', async () => {
    const transport = new NodeTransport('http://parley.invalid:81', env());
    const created = await new ChannelClient(transport).create();
    expect(created.api_join_url).toMatch(/^http:\/\/parley\.invalid:81\/channels\//);
    expect(seen).toEqual(['POST http://parley.invalid:81/channels ann:pass word']);
    transport.close();
  });

  test('to an https server go through a tunnel', async () => {
    let hello: Buffer = Buffer.alloc(0);
    const tls = createTcpServer((socket) => {
      socket.once('data', (data: Buffer) => {
        hello = data;
        socket.destroy();
      });
    });
    await once(tls.listen(0, '127.0.0.1'), 'listening');
    proxy.on('connect', (incoming, socket) => {
      seen.push(`CONNECT ${incoming.url} ${auth(incoming)}`);
      const onward = connect((tls.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [onward, socket]) end.on('error', () => undefined);
    });
    const transport = new NodeTransport('https://parley.invalid', env());
    await expect(new ChannelClient(transport).create()).rejects.toMatchObject({ failure: 'unreachable' });
    expect(seen).toEqual(['CONNECT parley.invalid:443 ann:pass word']);
    expect(hello[0]).toBe(TLS_HANDSHAKE);
    expect(hello.includes('parley.invalid')).toBe(true);
    transport.close();
    tls.close();
  });

  test('fail with what a proxy says that lets nobody through', async () => {
    proxy.on('connect', (_incoming, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const transport = new NodeTransport('https://parley.invalid', env());
    await expect(new ChannelClient(transport).create()).rejects.toMatchObject({
      failure: 'unreachable',
      cause: { message: expect.stringMatching(/^the proxy 127\.0\.0\.1:\d+ answered 403$/) },
    });
    transport.close();
  });
});

const TLS_HANDSHAKE = 0x16;

function auth(incoming: IncomingMessage): string {
  const [, credentials = ''] = (incoming.headers['proxy-authorization'] ?? '').split(' ');
  return Buffer.from(credentials, 'base64').toString();
}
