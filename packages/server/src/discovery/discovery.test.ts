import { API } from '@parley/protocol/api';
import { MEMORY_FEATURES } from '@parley/protocol/discovery/features';
import { TOOLS } from '@parley/protocol/tools/tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpClient } from '../testing/http-client.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';
import { WORKFLOWS } from './workflows.ts';

interface Tool {
  name: string;
  inputSchema?: object;
  input_schema?: object;
}

describe('discovery', () => {
  let server: TestServer;
  let client: HttpClient;
  const get = async <Body>(path: string): Promise<Body> => {
    const { status, body } = await client.call<Body>('GET', path);
    expect([path, status]).toEqual([path, 200]);
    return body;
  };

  beforeAll(async () => {
    server = await startServer();
    client = new HttpClient(server);
  });
  afterAll(() => server.close());

  test('tools are those of MCP, in the same order and with the same schemas', async () => {
    const { count, tools } = await get<{ count: number; tools: Tool[] }>('/v1/discovery/tools');
    expect([count, new Set(tools.map(({ name }) => name)).size]).toEqual([TOOLS.length, TOOLS.length]);
    const listed = await client.call<{ result: { tools: Tool[] } }>('POST', '/v1/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers: { 'parley-tools': 'all' },
    });
    expect(tools.map((tool) => [tool.name, tool.input_schema])).toEqual(
      listed.body.result.tools.map((tool) => [tool.name, tool.inputSchema]),
    );
  });

  test('what stands in the path of a tool is one of its arguments', async () => {
    const { tools } = await get<{ tools: Required<Tool & { path: string }>[] }>('/v1/discovery/tools');
    for (const { name, path, input_schema: schema } of tools) {
      const { properties } = schema as { properties: object };
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, argument]) => argument);
      expect([name, Object.keys(properties)]).toEqual([name, expect.arrayContaining(named)]);
    }
  });

  test('the manifest has every declared route, and the scope a key needs', async () => {
    const { endpoints } = await get<{ endpoints: Record<string, { scope: string | null }> }>('/v1/manifest');
    const calls = API.flatMap(({ routes }) => routes.map(({ method, path }) => `${method} ${path}`));
    expect(Object.keys(endpoints).toSorted()).toEqual(calls.toSorted());
    expect(endpoints['POST /v1/context/retrieve']?.scope).toBe('search');
    expect(endpoints['GET /v1/help']?.scope).toBeNull();
    expect(endpoints['POST /v1/schedule/items']).toBeDefined();
  });

  test('equal catalogues give equal hashes', async () => {
    const first = await get<{ tool_catalog_hash: string }>('/v1/contracts');
    expect(first.tool_catalog_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await get('/v1/contracts')).toEqual(first);
  });

  test('workflows lead over tools there are', async () => {
    const names = new Set(TOOLS.map(({ name }) => name));
    expect(WORKFLOWS.flatMap(({ tools }) => tools.filter((tool) => !names.has(tool)))).toEqual([]);
    expect(await get('/v1/discovery/workflows')).toMatchObject({ ok: true, count: WORKFLOWS.length });
  });

  test('what is named as an entrance is one', async () => {
    const { entrypoints } = await get<{ entrypoints: Record<string, string> }>('/v1/discovery');
    expect(await get('/.well-known/cognirelay.json')).toEqual(await get('/v1/discovery'));
    for (const [name, path] of Object.entries(entrypoints)) {
      expect([name, (await client.get(path)).status]).toEqual([name, name === 'mcp_rpc' ? 405 : 200]);
    }
    const { documents } = await get<{ documents: { url: string }[] }>('/.well-known/ai-catalog.json');
    for (const { url } of documents) expect([url, (await client.get(url)).status]).toEqual([url, 200]);
  });

  test('features say in a line what they do, and have the tool that does it', async () => {
    const { features: names } = await get<{ features: string[] }>('/capabilities');
    const { features } = await get<{ features: Record<string, unknown> }>('/v1/capabilities');
    expect(names).toEqual(expect.arrayContaining(['rooms', 'mcp']));
    const known = new Set(TOOLS.map(({ name }) => name));
    for (const [name, { summary, tool }] of Object.entries(MEMORY_FEATURES)) {
      expect([name, known.has(tool), names.includes(name)]).toEqual([name, true, true]);
      expect(features[name]).toEqual({ summary });
    }
    expect(Object.keys(MEMORY_FEATURES)).toHaveLength(18);
  });

  test('one version of the contract is named everywhere', async () => {
    const named = ['/health', '/v1/contracts', '/.well-known/mcp.json', '/v1/info'];
    for (const path of named)
      expect([path, (await get<{ contract_version: string }>(path)).contract_version]).toEqual([
        path,
        '2026-02-25',
      ]);
    expect((await get<{ protocol: { version: string } }>('/v1/discovery')).protocol.version).toBe(
      '2026-02-25',
    );
  });

  test('MCP says where it is and which methods it has', async () => {
    const { methods, endpoint } = await get<{ methods: string[]; endpoint: string }>('/.well-known/mcp.json');
    expect(endpoint).toBe('/v1/mcp');
    for (const method of ['initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'system.help'])
      expect(methods).toContain(method);
  });

  test('is only read', async () => {
    const { status, headers } = await client.post('/v1/manifest', {});
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});
