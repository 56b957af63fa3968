import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { Resolver } from './resolver.ts';
import { client, closeAfterEach, get, listen, serve } from './testing/outbound-harness.ts';

closeAfterEach();

const toLoopback: Resolver = async () => ['127.0.0.1'];

describe('guarded client › exchange', () => {
  test('reaches a local server through callback_allow only, with the original name in Host', async () => {
    const seen: { host: string | undefined; method: string | undefined; body: string; custom: unknown }[] =
      [];
    const port = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { host, 'x-custom': custom } = request.headers;
        seen.push({ host, method: request.method, body, custom });
        response.writeHead(202, { 'x-answer': 'yes' }).end('thanks');
      });
    });
    const url = `http://hooks.example:${port}/in?x=1`;
    expect(await client({ resolve: toLoopback }).request(get(url))).toMatchObject({ reason: 'ssrf_blocked' });

    const guarded = client({ resolve: toLoopback, allow: [`hooks.example:${port}`] });
    const result = await guarded.request(
      get(url, { method: 'POST', body: '{"a":1}', headers: { 'X-Custom': 'kept', Host: 'evil.example' } }),
    );
    expect(result).toMatchObject({ kind: 'response', status: 202, body: 'thanks', truncated: false });
    expect(result).toMatchObject({ headers: { 'x-answer': 'yes' } });
    expect(seen).toEqual([
      { host: `hooks.example:${port}`, method: 'POST', body: '{"a":1}', custom: 'kept' },
    ]);
  });

  test('shows the original name in the TLS greeting and calls a failed one by its name', async () => {
    const greetings: Buffer[] = [];
    const server = createTcpServer((socket) => {
      socket.once('data', (data) => {
        greetings.push(data);
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
    });
    const port = await listen(server);
    const guarded = client({ allow: ['127.0.0.1/32'], resolve: async () => ['127.0.0.1'] });
    expect(await guarded.request(get(`https://hooks.example.:${port}/`))).toMatchObject({
      kind: 'failure',
      reason: 'tls_handshake_failed',
    });
    expect(greetings[0]?.includes('hooks.example')).toBe(true);
    expect(greetings[0]?.includes('hooks.example.')).toBe(false);
  });

  test('does not follow redirects', async () => {
    const paths: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end();
    });
    const guarded = client({ allow: ['127.0.0.1'] });
    expect(await guarded.request(get(`http://127.0.0.1:${port}/a`))).toMatchObject({
      kind: 'response',
      status: 302,
    });
    expect(paths).toEqual(['/a']);
  });

  test.each([
    ['never answers', (): void => {}],
    [
      'trickles its answer',
      (
        _request: unknown,
        response: { write(text: string): void; on(event: 'close', fn: () => void): void },
      ): void => {
        const drip = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ])('gives up on a server that %s', async (_name, handler) => {
    const port = await serve(handler);
    const guarded = client({ allow: ['127.0.0.1'] });
    expect(await guarded.request(get(`http://127.0.0.1:${port}/`, { timeoutMs: 150 }))).toMatchObject({
      kind: 'failure',
      reason: 'timeout',
    });
  });

  test('counts a slow look-up into the time limit', async () => {
    const guarded = client({ resolve: () => new Promise(() => {}) });
    expect(await guarded.request(get('http://hooks.example/', { timeoutMs: 100 }))).toMatchObject({
      reason: 'timeout',
    });
  });

  test('does not send a request whose time was over before its connection stood', async () => {
    let requests = 0;
    const port = await serve((_request, response) => {
      requests += 1;
      response.end('ok');
    });
    const waiting: (() => void)[] = [];
    const resolve: Resolver = async () => {
      await new Promise<void>((done) => waiting.push(done));
      return ['127.0.0.1'];
    };
    const guarded = client({ allow: ['127.0.0.1/32'], resolve });
    const late = await guarded.request(get(`http://hooks.example:${port}/`, { timeoutMs: 50 }));
    expect(late).toMatchObject({ reason: 'timeout' });
    const inTime = guarded.request(get(`http://hooks.example:${port}/`));
    await expect.poll(() => waiting).not.toEqual([]);
    const release = setInterval(() => waiting.splice(0).forEach((done) => done()), 5);
    expect(await inTime).toMatchObject({ body: 'ok' });
    clearInterval(release);
    expect(requests).toBe(1);
  });

  test('keeps the start of a huge answer and closes the connection instead of reading on', async () => {
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const port = await serve((_request, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write('é'.repeat(10_000)));
      };
      response.on('drain', pour).on('close', () => closed?.());
      pour();
    });
    const guarded = client({ allow: ['127.0.0.1'] });
    const result = await guarded.request(get(`http://127.0.0.1:${port}/`, { maxResponseChars: 2000 }));
    expect(result).toMatchObject({ kind: 'response', status: 200, truncated: true, body: 'é'.repeat(2000) });
    await gone;
  });

  test('names a refused connection, an unknown name and a cut answer', async () => {
    const vacant = createTcpServer();
    const closedPort = await new Promise<number>((resolve) => {
      vacant.listen(0, '127.0.0.1', () => {
        const { port } = vacant.address() as AddressInfo;
        vacant.close(() => resolve(port));
      });
    });
    const cutPort = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())));
    const garbagePort = await listen(createTcpServer((socket) => void socket.end('no HTTP at all\r\n\r\n')));
    const guarded = client({
      allow: ['127.0.0.1'],
      resolve: () => Promise.reject(new Error('no such name')),
    });
    const reasons = [];
    for (const url of [
      `http://127.0.0.1:${closedPort}/`,
      'http://nowhere.example/',
      `http://127.0.0.1:${cutPort}/`,
      `http://127.0.0.1:${garbagePort}/`,
    ]) {
      const result = await guarded.request(get(url));
      reasons.push(result.kind === 'failure' ? result.reason : result.status);
    }
    expect(reasons).toEqual(['connection_refused', 'dns_resolution_failed', 'network', 'network']);
  });

  test('turns headers that cannot be sent into a result as well', async () => {
    const guarded = client({ allow: ['127.0.0.1'] });
    const result = await guarded.request(
      get('http://127.0.0.1:1/', { headers: { 'x-bad': 'a\r\nHost: b' } }),
    );
    expect(result).toMatchObject({ kind: 'failure', reason: 'network' });
  });
});

describe('guarded client › connections', () => {
  test('opens no more connections to one origin than allowed', async () => {
    let open = 0;
    let most = 0;
    const server = createHttpServer((_request, response) => void setTimeout(() => response.end('ok'), 10));
    server.on('connection', (socket) => {
      most = Math.max(most, ++open);
      socket.on('close', () => (open -= 1));
    });
    const port = await listen(server);
    const guarded = client({ allow: ['127.0.0.1'], connectionsPerOrigin: 3 });
    const results = await Promise.all(
      Array.from({ length: 20 }, () => guarded.request(get(`http://127.0.0.1:${port}/`))),
    );
    expect(results.every((result) => result.kind === 'response')).toBe(true);
    expect(most).toBe(3);
  });

  test('drops an origin that was not called for a while', async () => {
    const clock = new FakeClock();
    const port = await serve((_request, response) => response.end('ok'));
    const guarded = client({ allow: ['127.0.0.1'], clock, idleMs: 30_000 });
    expect(await guarded.request(get(`http://127.0.0.1:${port}/`))).toMatchObject({ status: 200 });
    await clock.advance(20_000);
    await guarded.request(get(`http://127.0.0.1:${port}/`));
    await clock.advance(20_000);
    expect(guarded.origins).toBe(1);
    await clock.advance(40_000);
    expect(guarded.origins).toBe(0);
  });

  test('ends what is under way when closed, and refuses more', async () => {
    let arrived: (() => void) | undefined;
    const underWay = new Promise<void>((resolve) => (arrived = resolve));
    const port = await serve(() => arrived?.());
    const guarded = client({ allow: ['127.0.0.1'] });
    const pending = guarded.request(get(`http://127.0.0.1:${port}/`));
    await underWay;
    await guarded.close();
    expect(await pending).toMatchObject({ kind: 'failure', reason: 'network' });
    expect(await guarded.request(get(`http://127.0.0.1:${port}/`))).toMatchObject({ reason: 'network' });
  });
});
