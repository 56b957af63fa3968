import { SECRET_PREFIXES } from '@parley/protocol/secret-prefixes';
import type { FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HttpClient } from '../../testing/http-client.ts';
import { head, RawSocket } from '../../testing/raw-socket.ts';
import { systemRandom } from '../ids.ts';
import { createLog } from '../log.ts';
import { LockTimeoutError } from '../database/errors.ts';
import { TrustedProxies } from './client-address.ts';
import { DomainError } from './domain-error.ts';
import { Entrance } from './entrance.ts';
import { MOST_QUEUED } from './queued-responses.ts';
import { createHttpServer, shapeErrors, takeBodiesAsText } from './server.ts';

class Refusal extends DomainError {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }

  body(): object {
    return { refused: this.code };
  }
}

describe('http server', () => {
  let app: FastifyInstance;
  let client: HttpClient;
  let lines: string[];
  const waiting: string[] = [];
  const closed: string[] = [];
  const held: ServerResponse[] = [];
  const unexpected: string[] = [];

  beforeEach(async () => {
    lines = [];
    waiting.length = 0;
    closed.length = 0;
    held.length = 0;
    unexpected.length = 0;
    const log = createLog({
      level: 'info',
      secretPrefixes: SECRET_PREFIXES,
      stream: { write: (line) => void lines.push(line) },
    });
    const proxies = new TrustedProxies([]);
    const entrance = new Entrance({
      host: '127.0.0.1',
      publicUrl: undefined,
      trustedProxies: [],
      allowedHosts: [],
      allowedOrigins: [],
      rlLocalFactor: 1,
    });
    app = createHttpServer({
      log,
      random: systemRandom,
      proxies,
      entrance,
      disk: { isLow: false, told: '' },
    });
    app.get('/bare', () => {
      throw new Error('no such file: /home/somebody/secret-place');
    });
    app.get('/away', () => {
      throw new LockTimeoutError(new Error('SELECT secret'));
    });
    await app.register(async (scope) => {
      takeBodiesAsText(scope, 100);
      shapeErrors(scope, log, {
        tooLarge: () => new Refusal(413, 'large'),
        unexpected: (id) => {
          unexpected.push(id);
          return new Refusal(500, id);
        },
      });
      scope.post('/echo', (request, reply) => reply.type('text/plain').send(request.body ?? 'nothing'));
      scope.get('/refuse', () => {
        throw new Refusal(418, 'teapot');
      });
      scope.get('/fail', () => {
        throw new Error('secret detail');
      });
      scope.get<{ Querystring: { n: string } }>('/wait', (request, reply) => {
        reply.hijack();
        waiting.push(request.query.n);
        held.push(reply.raw);
        reply.raw.on('close', () => closed.push(request.query.n));
      });
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    client = new HttpClient({ url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` });
  });
  afterEach(async () => {
    app.server.closeAllConnections();
    await app.close();
  });

  test.each([
    undefined,
    'application/json',
    'text/plain',
    'image/png',
    'nonsense',
    '',
    'a/',
    '/',
    ';',
    'a b/c',
  ])('takes a body as text when its type is %j', async (type) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    expect((await client.post('/echo', '{"a": 1}', { headers })).text).toBe('{"a": 1}');
  });

  test('never passes broken UTF-8 on as text', async () => {
    const { text } = await client.post('/echo', Buffer.from([0x22, 0xff, 0x22]));
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect((await client.post('/echo', '"\ufffd é 🦊"')).text).toBe('"\ufffd é 🦊"');
  });

  test('leaves the shape of every refusal to the protocol', async () => {
    expect(await client.get('/refuse')).toMatchObject({ status: 418, body: { refused: 'teapot' } });
    expect(await client.post('/echo', 'x'.repeat(101))).toMatchObject({
      status: 413,
      body: { refused: 'large' },
    });
  });

  test.each([
    ['declared', 'Content-Length: 10000000', ''],
    ['declared', 'Content-Length: 10000000\r\nConnection: close', ''],
    ['streamed', 'Transfer-Encoding: chunked', '989680\r\n'],
  ])(
    'lets a client that sends too large a body (%s, %j) go on, so that it reads why',
    async (_, how, start) => {
      const { hostname, port } = new URL(client.url);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      let received = '';
      socket.on('data', (chunk) => void (received += String(chunk)));
      const failed = new Promise<unknown>((resolve) => void socket.on('error', resolve));
      const ended = new Promise<void>((resolve) => void socket.on('close', () => resolve()));
      socket.write(head('POST /echo HTTP/1.1', 'Host: a', how) + start + 'x'.repeat(200));
      await new Promise<void>((resolve) => void socket.on('end', () => resolve()));
      expect(received).toMatch(/ 413 [^]*connection: close[^]*"refused":"large"/i);
      for (let sent = 0; sent < 20; sent++) {
        const written = new Promise<void>(
          (resolve) => void socket.write('x'.repeat(50_000), () => resolve()),
        );
        expect(await Promise.race([failed, written])).toBeUndefined();
      }
      socket.end();
      expect(await Promise.race([failed, ended])).toBeUndefined();
    },
  );

  test('tells an unexpected error by a request id only', async () => {
    const { status, text, body } = await client.get('/fail');
    expect(status).toBe(500);
    expect(text).not.toContain('secret detail');
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged.find(({ event }) => event === 'unexpected_error')).toMatchObject({
      request_id: body.refused,
      error: 'secret detail',
    });
  });

  test('takes a malformed path as it stands, with the common headers and a log line', async () => {
    const { status, headers } = await client.get('/%zz?token=x');
    expect(status).toBe(404);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    expect(lines.join('')).toContain('"path":"/%zz"');
    expect(lines.join('')).not.toContain('token');
  });

  test('limits how long a client may take to send a request', () => {
    expect(app.server.headersTimeout).toBe(15_000);
    expect(app.server.requestTimeout).toBe(60_000);
  });

  test('tells every pipelined response that the connection broke', async () => {
    const requests = [1, 2, 3].map((n) => head(`GET /wait?n=${n} HTTP/1.1`, 'Host: a')).join('');
    const socket = new RawSocket(client.url).write(requests);
    await expect.poll(() => waiting).toHaveLength(3);
    socket.destroy();
    await expect.poll(() => closed).toHaveLength(3);
    expect(closed.toSorted()).toEqual(['1', '2', '3']);
  });

  test('holds no response that is over, however it ended', async () => {
    await client.get('/refuse');
    const requests = [1, 2, 3].map((n) => head(`GET /wait?n=${n} HTTP/1.1`, 'Host: a')).join('');
    const socket = new RawSocket(client.url).write(requests);
    await expect.poll(() => app.openResponses.size).toBe(3);
    socket.destroy();
    await expect.poll(() => app.openResponses.size).toBe(0);
  });

  describe('with many pipelined requests', () => {
    const count = 1000;
    const pipelined = (...headers: string[]): string =>
      Array.from({ length: count }, (_, n) =>
        head(
          `GET /wait?n=${n} HTTP/1.1`,
          'Host: a',
          ...headers,
          ...(n === count - 1 ? ['Connection: close'] : []),
        ),
      ).join('');

    test.each([
      ['in one piece', []],
      ['in many', [`X-Padding: ${'x'.repeat(1000)}`]],
    ])('begins only the first of what came %s, and each when there is room', async (_, headers) => {
      const socket = new RawSocket(client.url).write(pipelined(...headers));
      for (let answered = 0; answered < count; ) {
        await expect.poll(() => waiting.length).toBeGreaterThan(answered);
        const open = held.splice(0);
        expect(open.length).toBeLessThanOrEqual(MOST_QUEUED + 1);
        for (const response of open) response.end('.');
        answered += open.length;
      }
      const answers = (await socket.untilClosed()).match(/HTTP\/1\.1 200 OK/g);
      expect(answers).toHaveLength(count);
      expect(waiting).toEqual(Array.from({ length: count }, (_item, n) => String(n)));
    });

    test('begins none of the rest when the connection is over', async () => {
      const socket = new RawSocket(client.url).write(pipelined());
      await expect.poll(() => waiting).toHaveLength(MOST_QUEUED + 1);
      app.server.closeAllConnections();
      await socket.untilClosed();
      await expect.poll(() => closed).toHaveLength(MOST_QUEUED + 1);
      expect(waiting).toHaveLength(MOST_QUEUED + 1);
    });
  });

  test('tells nobody what went wrong on a path of no protocol, but the log', async () => {
    const answer = await fetch(`${client.url}/bare`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ error: 'internal_error', request_id: expect.any(String) });
    expect(lines.join('')).toContain('/home/somebody/secret-place');
  });

  test('says on a path of no protocol that the store is away for a moment', async () => {
    const answer = await fetch(`${client.url}/away`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toEqual({ error: 'service_unavailable', request_id: expect.any(String) });
    expect(lines.join('')).not.toContain('unexpected_error');
  });

  test('is not alarmed by a client that goes away within its body', async () => {
    const request = head('POST /echo HTTP/1.1', 'Host: a', 'Content-Length: 9', 'Expect: 100-continue');
    const socket = new RawSocket(client.url).write(request);
    await socket.until(/100 Continue/);
    socket.destroy();
    await expect.poll(() => unexpected).toHaveLength(1);
    expect(lines.join('')).not.toContain('unexpected_error');
  });
});
