import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { bestEncoding } from './compression.ts';

describe('compression › choice', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['GZIP;q=0, BR;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=x', undefined],
  ])('%s', (header, encoding) => {
    expect(bestEncoding(header)).toBe(encoding);
  });
});

describe('compression', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
  });
  afterAll(() => server.close());

  /** Without a client that unpacks by itself. */
  async function fetched(path: string, headers: Record<string, string> = {}, method = 'GET') {
    return await new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
      get(new URL(path, server.url), { headers, method }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
      }).on('error', reject);
    });
  }

  const HTML = { accept: 'text/html', 'user-agent': 'Mozilla/5.0 Firefox/130.0' };

  test.each([
    ['/', HTML],
    ['/llms.txt', {}],
    ['/skill.md', {}],
    ['/loop.sh', {}],
    ['/guide/channels', HTML],
    ['/watch/room_aaaaaaaaaaaaaaaa', HTML],
    [`/c/${'ab'.repeat(16)}?token=${'cd'.repeat(24)}`, HTML],
  ])('%s comes as the client takes it, with the same words', async (path, headers) => {
    const plain = await fetched(path, headers);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      for (const _again of [1, 2]) {
        const packed = await fetched(path, { ...headers, 'accept-encoding': encoding });
        expect(packed.headers['content-encoding']).toBe(encoding);
        expect(packed.headers['content-length']).toBe(String(packed.body.length));
        expect(unpack(packed.body).equals(plain.body)).toBe(true);
        expect(packed.body.length).toBeLessThan(plain.body.length / 2);
        expect(packed.headers['vary']).toBe(plain.headers['vary']);
      }
    }
    expect(plain.headers['vary']).toMatch(/(?:^|, )Accept-Encoding$/);
    const head = await fetched(path, { ...headers, 'accept-encoding': 'br' }, 'HEAD');
    expect(head.headers['content-encoding']).toBe('br');
    expect(head.body).toHaveLength(0);
  });

  test.each(['/health', '/v1/capabilities', '/metrics'])('%s is left as it is', async (path) => {
    const { headers } = await fetched(path, { 'accept-encoding': 'br, gzip' });
    expect(headers).not.toHaveProperty('content-encoding');
  });
});
