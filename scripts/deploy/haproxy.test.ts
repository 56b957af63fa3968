import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import {
  type HaproxyOptions,
  startHaproxy,
  type TestHaproxy,
} from '../../packages/server/src/testing/haproxy.ts';
import { startNames } from './test-names.ts';

const FILE = join(process.cwd(), 'deploy/haproxy.cfg');
const found = inject('haproxy');
const missing = 'missing' in found ? found.missing : undefined;
const program = 'program' in found ? found.program : '';

/** Says that it is ready, and answers the rest by `tell`. */
const readyNode =
  (tell: RequestListener): RequestListener =>
  (request, response) =>
    request.url === '/ready' ? void response.end() : tell(request, response);
const saying = (text: string): RequestListener => readyNode((_, response) => void response.end(text));

describe.skipIf(missing)(`deploy/haproxy.cfg${missing ? ` (not available: ${missing})` : ''}`, () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  async function node(listener: RequestListener, { host = '127.0.0.1', port = 0 } = {}): Promise<string> {
    const server: Server = createServer(listener);
    cleanups.push(() => (server.close(), server.closeAllConnections()));
    server.listen(port, host);
    await once(server, 'listening');
    return `http://${host}:${(server.address() as AddressInfo).port}`;
  }

  /** One node in all three places. */
  async function before(each: string, options?: HaproxyOptions): Promise<TestHaproxy> {
    const proxy = await startHaproxy(program, [each, each, each], options);
    cleanups.push(() => proxy.stop());
    return proxy;
  }

  test('is one that HAProxy takes without a word', () => {
    const env = {
      ...process.env,
      PARLEY_BIND: ':7330',
      PARLEY_NODE_1: '10.0.0.1:1',
      PARLEY_NODE_2: '10.0.0.2:1',
    };
    const { status, stderr } = spawnSync(program, ['-c', '-f', FILE], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  test('says to programs that no node is ready, and when to come back', async () => {
    const { url } = await before(await node((_, response) => void response.writeHead(503).end()));
    await expect.poll(async () => (await fetch(url)).headers.get('retry-after')).toBe('1');
    const answer = await fetch(`${url}/v1/messages`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({
      error: 'service_unavailable',
      recoverable: true,
      retry_after_sec: 1,
      retry_after_seconds: 1,
      hint: 'No node is ready for a moment. Nothing was done. Wait for Retry-After and send the same request again.',
    });
  });

  test('says of a node that ended before it answered that nobody knows what was done', async () => {
    const { url } = await before(await node(readyNode(({ socket }) => void socket.destroy())));
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([502, '1']);
    expect(await answer.json()).toMatchObject({ error: 'bad_gateway', recoverable: true });
  });

  test('has an answer that can be read for each of its own failures', () => {
    const answers = [
      ...readFileSync(FILE, 'utf8').matchAll(/http-error status (\d+) .*Retry-After 1 .* string '(.*)'$/gm),
    ];
    expect(answers.map(([, status]) => status)).toEqual(['503', '502', '504']);
    for (const [, , body = ''] of answers) {
      expect(JSON.parse(body)).toMatchObject({ error: expect.any(String), hint: expect.any(String) });
    }
  });

  describe('says where a client is', () => {
    const claims = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      forwarded: 'for=203.0.113.9',
    };
    async function heard(options?: HaproxyOptions): Promise<IncomingHttpHeaders> {
      let headers: IncomingHttpHeaders = {};
      const listener = readyNode((request, response) => {
        ({ headers } = request);
        response.end();
      });
      const { url } = await before(await node(listener), options);
      expect((await fetch(url, { headers: claims })).status).toBe(200);
      return headers;
    }

    test('itself, whatever the client says', async () => {
      const headers = await heard();
      expect(headers['x-forwarded-for']).toBe('127.0.0.1');
      expect([headers['x-forwarded-proto'], headers.forwarded]).toEqual([undefined, undefined]);
    });

    test('by the word of the proxy before it, where there is one', async () => {
      const headers = await heard({ front: '127.0.0.0/8' });
      expect(headers['x-forwarded-for']).toBe('203.0.113.9, 127.0.0.1');
      expect([headers['x-forwarded-proto'], headers.forwarded]).toEqual(['https', undefined]);
    });
  });

  test('leaves a node in that takes a second to say that it is ready', async () => {
    let looks = 0;
    const slow = await node((request, response) => {
      const isLook = request.url === '/ready';
      if (isLook) looks++;
      setTimeout(() => response.end(), isLook ? 1000 : 0);
    });
    const { url } = await before(slow);
    await expect.poll(() => looks).toBeGreaterThan(9);
    expect((await fetch(url)).status).toBe(200);
  });

  test('follows a node to the address under which it comes back', async () => {
    const names = await startNames('127.0.0.2');
    cleanups.push(() => names.stop());
    const first = new URL(await node(saying('first'), { host: '127.0.0.2' }));
    const port = Number(first.port);
    await node(saying('second'), { host: '127.0.0.3', port });
    const { url } = await before(`http://node1.test:${port}`, { names: names.port });
    const text = async (): Promise<string> => (await fetch(url)).text();
    await expect.poll(text).toBe('first');
    names.move('127.0.0.3');
    await expect.poll(text).toBe('second');
  });
});
