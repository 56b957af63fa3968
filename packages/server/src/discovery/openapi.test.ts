import { API } from '@parley/protocol/api';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpClient } from '../testing/http-client.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<string, { content?: Record<string, { schema?: object; example?: unknown }> }>;
}
interface Document extends Record<string, unknown> {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

describe('/openapi.json', () => {
  let server: TestServer;
  let client: HttpClient;
  let text: string;
  let document: Document;

  beforeAll(async () => {
    server = await startServer();
    client = new HttpClient(server);
    text = (await client.get('/openapi.json')).text;
    document = JSON.parse(text) as Document;
  });
  afterAll(() => server.close());

  test('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers).toEqual([{ url: server.url }]);
    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
  });

  test('has every declared route and no other, each with what it takes and answers', () => {
    const shown = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const routes = API.flatMap(({ routes: declared }) => declared);
    expect(shown.toSorted()).toEqual(
      routes.map(({ name, method, path }) => `${name} ${method} ${path}`).toSorted(),
    );
    for (const route of routes) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()];
      expect([route.name, operation?.requestBody !== undefined]).toEqual([
        route.name,
        route.body !== undefined,
      ]);
      const statuses = route.unsupported
        ? []
        : [route.success, ...(route.otherSuccesses ?? []), ...(route.silent ?? [])];
      expect(Object.keys(operation?.responses ?? {}).toSorted()).toEqual(
        [...statuses.map(String), 'default'].toSorted(),
      );
    }
  });

  test('shows examples that were run, and no pattern where a format says it', () => {
    const sending = document.paths['/v1/messages']?.post;
    expect(sending?.requestBody?.content['application/json']?.example).toMatchObject({ to: 'night-shift' });
    expect(sending?.responses['201']?.content?.['application/json']?.example).toMatchObject({
      to: expect.any(String),
    });
    expect(text).not.toMatch(
      /"format":"(?:date-time|email|uri)","pattern"|"pattern":"[^"]*","format":"date-time"/,
    );
  });

  test('need not be sent again to whoever has it', async () => {
    const { headers } = await client.get('/openapi.json');
    const again = await client.get('/openapi.json', { 'if-none-match': String(headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});
