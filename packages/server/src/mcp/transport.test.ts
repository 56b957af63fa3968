import { EventStreamReader } from '@parley/sdk/event-stream-reader';
import { describe, expect, test } from 'vitest';
import { startServer } from '../testing/start-server.ts';
import { suiteServer } from '../testing/suite-server.ts';
import { META, McpClient } from './testing/mcp-client.ts';

describe('mcp › transport', () => {
  const server = suiteServer(() => startServer());
  const anyone = new McpClient(server);

  test('takes nothing but posts, and says so', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await anyone.http.call(method, '/v1/mcp');
      expect([method, status, headers.allow]).toEqual([method, 405, 'POST']);
    }
  });

  test('agrees on a version of the older era, whatever is asked for', async () => {
    const spoken = async (protocolVersion: string) =>
      (await anyone.legacy('initialize', { protocolVersion })).body.result?.protocolVersion;
    expect(await spoken('2025-06-18')).toBe('2025-06-18');
    for (const other of ['2024-11-05', '2026-07-28', 'banana'])
      expect(await spoken(other)).toBe('2025-11-25');
    const { body } = await anyone.legacy('initialize', { protocolVersion: '2025-06-18' });
    expect(body.result).toMatchObject({
      serverInfo: { name: 'parley' },
      capabilities: { tools: { listChanged: false } },
    });
  });

  test.each([
    {},
    { protocolVersion: 1 },
    { protocolVersion: 'x', capabilities: [] },
    { protocolVersion: 'x', clientInfo: { name: '' } },
    { protocolVersion: 'x', _meta: 1 },
  ])('refuses to begin with %j', async (params) => {
    const { status, body } = await anyone.legacy('initialize', params);
    expect([status, body.error?.code, typeof body.error?.data?.reason]).toEqual([200, -32602, 'string']);
  });

  test('answers no notification, and no answer', async () => {
    for (const method of ['notifications/initialized', 'notifications/cancelled', 'x/y']) {
      const { status, text } = await anyone.post({ jsonrpc: '2.0', method });
      expect([method, status, text]).toEqual([method, 202, '']);
    }
    expect((await anyone.post({ jsonrpc: '2.0', id: 1, result: {} })).status).toBe(202);
  });

  test('answers a ping with nothing in it', async () => {
    expect((await anyone.legacy('ping')).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test.each([
    ['{', -32700],
    ['[]', -32600],
    ['5', -32600],
    ['{"id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":7,"method":5}', -32600],
  ])('refuses %s', async (text, code) => {
    const { status, body } = await anyone.post(text);
    expect([status, body.error?.code]).toEqual([400, code]);
    expect(body.id).toBe(text.includes('"id":1,') ? 1 : text.includes('"id":7') ? 7 : null);
  });

  test('refuses what is nested so deeply that nobody could go through it', async () => {
    const record = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const call = `{"name":"memory.append_jsonl","arguments":{"path":"docs/x.jsonl","record":${record}}}`;
    const { status, body } = await anyone.post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${call}}`,
    );
    expect([status, body.error]).toMatchObject([400, { code: -32600 }]);
  });

  test('refuses what is too large', async () => {
    const { status, body } = await anyone.legacy('ping', { x: 'x'.repeat(262_144) });
    expect([status, body.error?.code]).toEqual([413, -32600]);
  });

  test('answers only pages of this machine and of named origins', async () => {
    const from = async (origin: string) => (await anyone.legacy('ping', {}, { origin })).status;
    expect(await from('https://evil.example')).toBe(403);
    expect(await from('null')).toBe(403);
    for (const origin of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:8080'])
      expect(await from(origin)).toBe(200);
    const { body } = await anyone.post('{', { origin: 'https://localhost.evil.example' });
    expect(body).toMatchObject({ error: { code: 403 } });
    expect(body).not.toHaveProperty('id');
  });

  test.each([
    [{ origin: 'http://localhost:3000' }, ['http://localhost:3000', 'WWW-Authenticate', 'Origin']],
    [{ origin: 'https://evil.example' }, [undefined, undefined, 'Origin']],
    [{}, [undefined, undefined, 'Origin']],
  ])('tells %j whether its page may read the answer', async (asked, told) => {
    const { headers } = await anyone.legacy('ping', {}, asked);
    const names = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];
    expect(names.map((name) => headers[name])).toEqual(told);
  });

  test('tells pages beforehand what they may ask with', async () => {
    const preflight = await fetch(`${server.url}/v1/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, Object.fromEntries(preflight.headers)]).toMatchObject([
      204,
      {
        'access-control-allow-origin': 'http://localhost:3000',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': expect.stringContaining(
          'Authorization, Content-Type, MCP-Protocol-Version',
        ),
        'access-control-max-age': '600',
      },
    ]);
  });

  test('lets nobody in with a bad credential, and asks nobody for one', async () => {
    const { status, headers } = await new McpClient(server, 'ak_nobody').legacy('ping');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect((await anyone.post('{', { authorization: 'Basic x' })).status).toBe(401);
  });

  test('knows no other method', async () => {
    const { status, body } = await anyone.legacy('nope/x');
    expect([status, body.error?.code, body.error?.data]).toEqual([200, -32601, { method: 'nope/x' }]);
  });

  test('refuses a version that it does not know', async () => {
    const { status, body } = await anyone.legacy('ping', {}, { 'mcp-protocol-version': '1999-01-01' });
    expect([status, body.error?.code]).toEqual([400, -32022]);
    expect((await anyone.legacy('ping', {}, { 'mcp-protocol-version': '2025-03-26' })).status).toBe(200);
  });

  test('has one page of tools', async () => {
    expect((await anyone.legacy('tools/list', { cursor: 'x' })).body.error?.code).toBe(-32602);
    for (const cursor of ['', null]) {
      const { body } = await anyone.legacy('tools/list', { cursor });
      expect(body.result).not.toHaveProperty('nextCursor');
    }
  });

  describe('with a modern client', () => {
    test('says what it speaks', async () => {
      const { status, body } = await anyone.modern('server/discover');
      expect(status).toBe(200);
      expect(body.result).toMatchObject({
        resultType: 'complete',
        supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18'],
        ttlMs: 3_600_000,
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'parley' } },
      });
    });

    test('lists the same tools as to others', async () => {
      const { body } = await anyone.modern('tools/list');
      expect(body.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' });
      expect(body.result?.tools).toEqual((await anyone.legacy('tools/list')).body.result?.tools);
    });

    test('holds the headers against the body', async () => {
      const named = async (name: string | undefined) => {
        const { status, body } = await anyone.modern(
          'tools/call',
          { name: 'system.health' },
          { 'mcp-name': name },
        );
        return [status, body.error?.code];
      };
      expect(await named(undefined)).toEqual([400, -32020]);
      expect(await named('system.capabilities_v1')).toEqual([400, -32020]);
      expect(await named(' =?base64?c3lzdGVtLmhlYWx0aA==?= ')).toEqual([200, undefined]);
      for (const version of [undefined, '2025-11-25']) {
        const { status, body } = await anyone.modern('tools/list', {}, { 'mcp-protocol-version': version });
        expect([status, body.error?.code]).toEqual([400, -32020]);
      }
      const { body } = await anyone.modern('tools/list', {}, { 'mcp-method': 'Tools/list' });
      expect(body.error?.code).toBe(-32020);
    });

    test('says which versions it supports', async () => {
      const _meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' };
      const { status, body } = await anyone.modern(
        'tools/list',
        { _meta },
        { 'mcp-protocol-version': '1900-01-01' },
      );
      expect([status, body.error?.code]).toEqual([400, -32022]);
      expect(body.error?.data).toEqual({
        supported: ['2026-07-28', '2025-11-25', '2025-06-18'],
        requested: '1900-01-01',
      });
    });

    test('wants to be told who asks', async () => {
      const bare = await anyone.legacy('tools/list', {}, { 'mcp-protocol-version': '2026-07-28' });
      expect([bare.status, bare.body.error?.code]).toEqual([400, -32602]);
      const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
      const half = await anyone.modern('tools/list', { _meta });
      expect([half.status, half.body.error?.code, half.body.id]).toEqual([400, -32602, 1]);
    });

    test('knows no method that is gone', async () => {
      for (const method of ['ping', 'initialize', 'logging/setLevel', 'nope/x', 'constructor']) {
        const { status, body } = await anyone.modern(method);
        expect([method, status, body.error?.code]).toEqual([method, 404, -32601]);
      }
    });

    test('leaves the id out of what it could not read', async () => {
      const { body } = await anyone.post('{', { 'mcp-protocol-version': '2026-07-28' });
      expect(body).not.toHaveProperty('id');
    });
  });
});

describe('mcp › subscriptions', () => {
  test('begin with an acknowledgement and end with a result when the server stops', async () => {
    const server = await startServer();
    const answer = await fetch(`${server.url}/v1/mcp`, {
      method: 'POST',
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'sub-1',
        method: 'subscriptions/listen',
        params: { _meta: META, notifications: { toolsListChanged: true } },
      }),
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    const text = answer.text();
    await server.close();
    const events = new EventStreamReader().push(await text);
    expect(events.map(({ data }) => JSON.parse(data) as object)).toMatchObject([
      {
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub-1' }, notifications: {} },
      },
      {
        id: 'sub-1',
        result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub-1' } },
      },
    ]);
  });
});
