import type { RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Resolver } from './resolver.ts';
import { INTERNAL_ADDRESSES } from './testing/address-samples.ts';
import { client, closeAfterEach, get, listen, serve } from './testing/outbound-harness.ts';

closeAfterEach();

const nothingMayBeAsked: Resolver = () => {
  throw new Error('nothing may be looked up');
};

describe('guarded connector › refusals at connection', () => {
  test.each(INTERNAL_ADDRESSES)('does not connect to a name that leads to %s', async (address) => {
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

  test('refuses literal addresses, names and schemes without asking anyone', async () => {
    const guarded = client({ resolve: nothingMayBeAsked });
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

  test('reaches nothing on loopback when a name leads there, even beside a public address', async () => {
    let connections = 0;
    const port = await listen(createTcpServer(() => void (connections += 1)));
    const guarded = client({ resolve: async () => ['203.0.113.7', '127.0.0.1'] });
    expect(await guarded.request(get(`http://hooks.example:${port}/`))).toMatchObject({
      reason: 'ssrf_blocked',
    });
    expect(connections).toBe(0);
  });

  test('refuses what a resolver says that is no address', async () => {
    const guarded = client({ allow: ['127.0.0.1/32'], resolve: async () => ['127.1'] });
    expect(await guarded.request(get('http://hooks.example/'))).toMatchObject({ reason: 'ssrf_blocked' });
  });
});

describe('guarded connector › rebinding', () => {
  test('connects to the very address that was checked, whatever the name server says next', async () => {
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

  test('checks again for each new connection', async () => {
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
