import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { systemClock } from '../clock.ts';
import { INTERNAL_ADDRESSES } from './address-samples.ts';
import { CallbackAllow } from './callback-allow.ts';
import { GuardedClient, type GuardedClientOptions, type OutboundRequest } from './guarded-client.ts';
import type { Resolver } from './resolver.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const serve = (handler: RequestListener): Promise<number> => listen(createHttpServer(handler));

type ClientSetup = { allow?: string[]; resolve?: Resolver } & Partial<GuardedClientOptions>;

/** Unless a test brings a resolver, every name is unknown: no look-up ever leaves the machine. */
function client({ allow = [], resolve = async () => [], ...options }: ClientSetup = {}): GuardedClient {
  const rules = { production: false, allow: new CallbackAllow(allow) };
  const made = new GuardedClient({ rules, clock: systemClock, resolve, ...options });
  cleanups.push(() => made.close());
  return made;
}

function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { url, method: 'GET', timeoutMs: 5000, ...more };
}

describe('guarded client › refusals at connection', () => {
  it.each(INTERNAL_ADDRESSES)('does not connect to a name that leads to %s', async (address) => {
    const asked: string[] = [];
    const resolve: Resolver = async (name) => {
      asked.push(name);
      return [address];
    };
    expect(await client({ resolve }).request(get('http://hooks.example/in'))).toMatchObject({
      kind: 'failure',
      reason: 'ssrf_blocked',
    });
    expect(asked).toEqual(['hooks.example']);
  });

  it('refuses literal addresses, names and schemes without asking anyone', async () => {
    const resolve: Resolver = () => {
      throw new Error('nothing may be looked up');
    };
    const guarded = client({ resolve });
    for (const url of [
      'http://0x7f.1/',
      'http://[::1]/',
      'http://localhost/',
      'file:///etc/passwd',
      'http://u@h/',
      'x',
    ]) {
      expect(await guarded.request(get(url))).toMatchObject({ reason: 'ssrf_blocked' });
    }
  });

  it('reaches nothing on loopback when a name leads there, even beside a public address', async () => {
    let connections = 0;
    const port = await listen(createTcpServer(() => void (connections += 1)));
    const guarded = client({ resolve: async () => ['203.0.113.7', '127.0.0.1'] });
    expect(await guarded.request(get(`http://hooks.example:${port}/`))).toMatchObject({
      reason: 'ssrf_blocked',
    });
    expect(connections).toBe(0);
  });

  it('refuses what a resolver says that is no address', async () => {
    const guarded = client({ allow: ['127.0.0.1/32'], resolve: async () => ['127.1'] });
    expect(await guarded.request(get('http://hooks.example/'))).toMatchObject({ reason: 'ssrf_blocked' });
  });
});

describe('guarded client › rebinding', () => {
  it('connects to the very address that was checked, whatever the name server says next', async () => {
    const port = await serve((_request, response) => response.end('the checked one'));
    let asked = 0;
    // The address that passes is 127.0.0.1; the later answer is one that does not.
    const resolve: Resolver = async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']);
    const guarded = client({ allow: ['127.0.0.1/32'], resolve });
    expect(await guarded.request(get(`http://hooks.example:${port}/`))).toMatchObject({
      body: 'the checked one',
    });
    expect(asked).toBe(1);
  });

  it('checks again for each new connection', async () => {
    let reached = 0;
    const handler: RequestListener = (_request, response) => {
      reached += 1;
      response.setHeader('connection', 'close').end('ok');
    };
    const port = await serve(handler);
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1', '169.254.169.254'], ['127.0.0.1']];
    const guarded = client({ allow: ['127.0.0.1/32'], resolve: async () => answers.shift() ?? [] });
    const results = [];
    for (let i = 0; i < 4; i++) results.push(await guarded.request(get(`http://hooks.example:${port}/`)));
    expect(results).toMatchObject([
      { kind: 'response', status: 200 },
      { kind: 'failure', reason: 'ssrf_blocked' },
      { kind: 'failure', reason: 'ssrf_blocked' },
      { kind: 'response', status: 200 },
    ]);
    expect(reached).toBe(2);
  });
});

describe('guarded client › exchange', () => {
  it('reaches a local server through callback_allow only, with the original name in Host', async () => {
    const seen: { host: string | undefined; method: string | undefined; body: string; custom: unknown }[] =
      [];
    const port = await serve(async (request: IncomingMessage, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      seen.push({
        host: request.headers.host,
        method: request.method,
        body,
        custom: request.headers['x-custom'],
      });
      response.writeHead(202, { 'x-answer': 'yes' }).end('thanks');
    });
    const url = `http://hooks.example:${port}/in?x=1`;
    const resolve: Resolver = async () => ['127.0.0.1'];
    expect(await client({ resolve }).request(get(url))).toMatchObject({ reason: 'ssrf_blocked' });

    const guarded = client({ resolve, allow: [`hooks.example:${port}`] });
    const result = await guarded.request(
      get(url, { method: 'POST', body: '{"a":1}', headers: { 'X-Custom': 'kept', Host: 'evil.example' } }),
    );
    expect(result).toMatchObject({ kind: 'response', status: 202, body: 'thanks', truncated: false });
    expect(result).toMatchObject({ headers: { 'x-answer': 'yes' } });
    expect(seen).toEqual([
      { host: `hooks.example:${port}`, method: 'POST', body: '{"a":1}', custom: 'kept' },
    ]);
  });

  it('shows the original name in the TLS greeting and calls a failed one by its name', async () => {
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

  it('does not follow redirects', async () => {
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

  it.each([
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
    const started = performance.now();
    expect(await guarded.request(get(`http://127.0.0.1:${port}/`, { timeoutMs: 150 }))).toMatchObject({
      kind: 'failure',
      reason: 'timeout',
    });
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('counts a slow look-up into the time limit', async () => {
    const guarded = client({ resolve: () => new Promise(() => {}) });
    const started = performance.now();
    expect(await guarded.request(get('http://hooks.example/', { timeoutMs: 100 }))).toMatchObject({
      reason: 'timeout',
    });
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('does not send a request whose time was over before its connection stood', async () => {
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
    while (waiting.length < 1) await new Promise((done) => setTimeout(done, 5));
    const release = setInterval(() => waiting.splice(0).forEach((done) => done()), 5);
    expect(await inTime).toMatchObject({ body: 'ok' });
    clearInterval(release);
    expect(requests).toBe(1);
  });

  it('keeps the start of a huge answer and closes the connection instead of reading on', async () => {
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

  it('names a refused connection, an unknown name and a cut answer', async () => {
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

  it('turns headers that cannot be sent into a result as well', async () => {
    const guarded = client({ allow: ['127.0.0.1'] });
    const result = await guarded.request(
      get('http://127.0.0.1:1/', { headers: { 'x-bad': 'a\r\nHost: b' } }),
    );
    expect(result).toMatchObject({ kind: 'failure', reason: 'network' });
  });
});

describe('guarded client › connections', () => {
  it('opens no more connections to one origin than allowed', async () => {
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

  it('drops an origin that was not called for a while', async () => {
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

  it('ends what is under way when closed, and refuses more', async () => {
    const port = await serve(() => {});
    const guarded = client({ allow: ['127.0.0.1'] });
    const pending = guarded.request(get(`http://127.0.0.1:${port}/`));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await guarded.close();
    expect(await pending).toMatchObject({ kind: 'failure', reason: 'network' });
    expect(await guarded.request(get(`http://127.0.0.1:${port}/`))).toMatchObject({ reason: 'network' });
  });
});
