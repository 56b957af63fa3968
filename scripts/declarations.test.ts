import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { API } from '@parley/protocol/api';
import { HELP_ROUTES } from '@parley/protocol/help/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import { inputSchema, pathArguments } from '@parley/protocol/tools/input-schema';
import { listedTool } from '@parley/protocol/tools/listing';
import { TOOLS } from '@parley/protocol/tools/tools';
import { askedCalls } from '@parley/sdk/testing/asked-calls';
import { type JsonSchema, jsonSchema } from '@parley/server/discovery/json-schema';
import { HttpClient } from '@parley/server/testing/http-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/*
 * A route is declared once, in `packages/protocol`. Whatever is made from the declarations, or written beside them, is held against
 * them here: what is served and checked, the OpenAPI document, the manifest, tools, help, the methods of the SDK, the pages.
 */

const ROUTES: readonly RouteDeclaration[] = API.flatMap(({ routes }) => routes);
const callOf = ({ method, path }: Pick<RouteDeclaration, 'method' | 'path'>): string => `${method} ${path}`;
const CALLS = ROUTES.map(callOf).toSorted();

/** Declared, and no method of the SDK; each for a reason. */
const WITHOUT_METHOD: Readonly<Record<string, string>> = {
  mcp: 'has clients of its own',
  'system.discovery_well_known': 'is /v1/discovery under another name',
  execution_evidence_post: 'is the PATCH of the same path for clients that have none',
  device_login_page: 'is a page for people',
  device_login_form: 'is what that page sends',
};

/** The server before it has routes. */
interface Watched {
  addHook(
    name: 'onRoute',
    hook: (route: {
      readonly method: string | string[];
      readonly config?: { readonly declaration?: RouteDeclaration };
    }) => void,
  ): unknown;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

describe('one declaration', () => {
  const served = new Map<string, RouteDeclaration>();
  let server: TestServer;
  let client: HttpClient;
  let openApi: OpenApi;
  const get = async <Body>(path: string): Promise<Body> => (await client.call<Body>('GET', path)).body;

  const watchRoutes = (message: unknown): void => {
    const { fastify } = message as { fastify: Watched };
    fastify.addHook('onRoute', ({ method, config }) => {
      const declaration = config?.declaration;
      if (declaration && [method].flat().includes(declaration.method))
        served.set(callOf(declaration), declaration);
    });
  };

  beforeAll(async () => {
    subscribe('fastify.initialization', watchRoutes);
    server = await startServer();
    unsubscribe('fastify.initialization', watchRoutes);
    client = new HttpClient(server);
    openApi = await get<OpenApi>('/openapi.json');
  });
  afterAll(() => server.close());

  /** With what is told by its name in place of the name. */
  function whole(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(whole);
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $ref: place } = schema as { $ref?: unknown };
    if (typeof place === 'string' && place.startsWith('#/components/'))
      return whole(openApi.components.schemas[place.replace('#/components/schemas/', '')]);
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, whole(value)]));
  }

  test('names each route and each call once', () => {
    expect(new Set(CALLS).size).toBe(CALLS.length);
    expect(new Set(ROUTES.map(({ name }) => name)).size).toBe(ROUTES.length);
  });

  test('is what is served, and what it is checked by', () => {
    const undeclared = [...served.keys()].filter((call) => !CALLS.includes(call));
    // Pages for agents, which are no part of the interface.
    expect(undeclared.filter((call) => !call.startsWith('GET /skill'))).toEqual([]);
    for (const route of ROUTES) {
      const used = served.get(callOf(route));
      expect([route.name, used?.name, used?.answer === route.answer]).toEqual([route.name, route.name, true]);
      // The schedule has words of its own for whatever is wrong with a request, so it looks at it by itself.
      const isOwn = route.name.startsWith('schedule.');
      const isSame = used?.body === route.body && used?.query === route.query;
      expect([route.name, isOwn || isSame]).toEqual([route.name, true]);
    }
  });

  test('is what /openapi.json tells: parameters, bodies, answers and errors', () => {
    for (const { routes, error } of API) {
      const refused = jsonSchema(error, 'output');
      for (const route of routes) {
        const told = openApi.paths[route.path]?.[route.method.toLowerCase()];
        expect([told?.operationId, told?.summary]).toEqual([route.name, route.summary]);
        const query = route.query ? Object.keys(Object(jsonSchema(route.query, 'input').properties)) : [];
        const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        expect(told?.parameters.map(({ name, in: place }) => `${place} ${name}`)).toEqual([
          ...inPath.map((name) => `path ${name}`),
          ...query.map((name) => `query ${name}`),
          ...Object.keys(route.headers ?? {}).map((name) => `header ${name}`),
        ]);
        const body = told?.requestBody?.content?.['application/json']?.schema;
        expect([route.name, whole(body)]).toEqual([
          route.name,
          route.body && whole(jsonSchema(route.body, 'input')),
        ]);
        const answer = told?.responses[String(route.success)]?.content?.['application/json']?.schema;
        if (route.answer)
          expect([route.name, whole(answer)]).toEqual([
            route.name,
            whole(jsonSchema(route.answer, 'output')),
          ]);
        const refusal = told?.responses.default?.content?.['application/json']?.schema;
        expect([route.name, whole(refusal)]).toEqual([route.name, whole(refused)]);
      }
    }
    const told = Object.entries(openApi.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(told.toSorted()).toEqual(CALLS);
  });

  test('is what the manifest lists', async () => {
    const { endpoints } = await get<{ endpoints: Record<string, { name: string }> }>('/v1/manifest');
    expect(
      Object.entries(endpoints)
        .map(([call, { name }]) => `${name} ${call}`)
        .toSorted(),
    ).toEqual(ROUTES.map((route) => `${route.name} ${callOf(route)}`).toSorted());
  });

  test('is what tools call, with its parameters and no others', async () => {
    const { tools } = await get<{ tools: { name: string; input_schema: object }[] }>('/v1/discovery/tools');
    const listed = await client.call<{ result: { tools: object[] } }>('POST', '/v1/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers: { 'parley-tools': 'all' },
    });
    expect(listed.body.result.tools).toEqual(
      TOOLS.map((tool) => JSON.parse(JSON.stringify(listedTool(tool)))),
    );
    expect(tools.map(({ name, input_schema: schema }) => [name, schema])).toEqual(
      TOOLS.map((tool) => [tool.name, JSON.parse(JSON.stringify(inputSchema(tool)))]),
    );
    for (const tool of TOOLS) {
      const { route, headers = {}, renamed = {}, without = [] } = tool;
      expect([tool.name, ROUTES.includes(route)]).toEqual([tool.name, true]);
      const taken = [route.query, route.body].flatMap((part) =>
        part ? Object.keys(Object(jsonSchema(part, 'input').properties)) : [],
      );
      const shown = taken.filter((name) => !without.includes(name)).map((name) => renamed[name] ?? name);
      const known = [...pathArguments(tool).map(([argument]) => argument), ...shown, ...Object.keys(headers)];
      expect([tool.name, Object.keys(inputSchema(tool).properties).toSorted()]).toEqual([
        tool.name,
        known.toSorted(),
      ]);
    }
  });

  test('is what the help is about', async () => {
    const help = await get<{ http_endpoints: string[]; mcp_methods: string[]; tool_topics: string[] }>(
      '/v1/help',
    );
    expect(help.http_endpoints).toEqual(HELP_ROUTES.map(callOf));
    expect(help.mcp_methods).toEqual(HELP_ROUTES.map(({ name }) => name));
    expect(help.tool_topics).toEqual(TOOLS.map(({ name }) => name));
  });

  test('is what the methods of the SDK ask for', async () => {
    const routes = API.filter(({ name }) => name !== 'console').flatMap((module) => module.routes);
    const patterns = new Map(routes.map((route) => [route.name, pattern(route)]));
    const asked = await askedCalls();
    const missing = routes.filter(
      ({ name, unsupported }) => !unsupported && !asked.some((call) => patterns.get(name)?.test(call)),
    );
    expect(missing.map(({ name }) => name).toSorted()).toEqual(Object.keys(WITHOUT_METHOD).toSorted());
    expect(asked.filter((call) => ![...patterns.values()].some((each) => each.test(call)))).toEqual([]);
  });

  test('is what the guide and /docs list', async () => {
    const folder = new URL('../docs/', import.meta.url);
    const guide = readdirSync(folder)
      .map((file) => readFileSync(new URL(file, folder), 'utf8'))
      .join('\n');
    const reference = (await client.get('/docs')).text;
    for (const route of ROUTES) {
      const call = callOf(route);
      expect([call, reference.includes(`\`${call}\``)]).toEqual([call, true]);
      // What does nothing is told to agents, on the page of rooms.
      const isTold = guide.includes(call) || guide.includes(call.replaceAll(/\{(\w+)\}/g, ':$1'));
      expect([call, route.unsupported !== undefined || isTold]).toEqual([call, true]);
    }
  });
});

const pattern = ({ method, path }: RouteDeclaration): RegExp =>
  new RegExp(`^${method} ${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?.*)?$`);
