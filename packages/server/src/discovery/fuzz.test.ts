import { API } from '@parley/protocol/api';
import { inputSchema } from '@parley/protocol/tools/input-schema';
import { TOOLS } from '@parley/protocol/tools/tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageHeaders, PersonClient } from '../console/testing/person-client.ts';
import { exampleArguments } from '../mcp/help/example-arguments.ts';
import { freshTables } from '../testing/databases.ts';
import { HttpClient } from '../testing/http-client.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';
import type { JsonSchema } from './json-schema.ts';
import { Dice, madeFrom } from './testing/fuzz-input.ts';

/** `PARLEY_FUZZ_REQUESTS=20000 PARLEY_FUZZ_SEED=7` for more, or others; `PARLEY_FUZZ_ON=postgres` for the other store. */
const REQUESTS = Number(process.env.PARLEY_FUZZ_REQUESTS ?? 1000);
const ON_POSTGRES = process.env.PARLEY_FUZZ_ON === 'postgres';
const SEED = Number(process.env.PARLEY_FUZZ_SEED ?? 1);

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; schema: JsonSchema; example?: string }[];
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> };
}

/** They answer until somebody hangs up, or end the account that asks. */
const NOT_CALLED = new Set([
  ...API.flatMap(({ routes }) => routes.filter(({ events }) => events !== undefined)).map(({ name }) => name),
  'channel_poll',
  'key_regenerate',
  'console_session_end',
  'console_session_revoke',
  'account_update',
]);

describe('requests made up from /openapi.json', () => {
  let server: TestServer;
  let client: HttpClient;
  let key: string;
  let person: PersonClient;
  let remove: (() => Promise<void>) | undefined;
  let operations: { method: string; path: string; operation: Operation }[];
  let schemas: Record<string, JsonSchema>;

  beforeAll(async () => {
    const place = ON_POSTGRES ? await freshTables() : undefined;
    remove = place?.remove;
    const options = { rateLimits: false, logLevel: 'error' as const };
    server = await startServer({ ...options, ...(place && { databaseUrl: place.at.url }) });
    client = new HttpClient(server);
    const made = await client.post<{ api_key: string }>('/v1/auth/register', { email: 'ada@example.org' });
    key = made.body.api_key;
    person = await PersonClient.signIn(server, { api_key: key });
    const { text } = await client.get('/openapi.json');
    const document = JSON.parse(text) as {
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, JsonSchema> };
    };
    ({ schemas } = document.components);
    operations = Object.entries(document.paths)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
      )
      .filter(({ operation }) => !NOT_CALLED.has(operation.operationId));
  });
  afterAll(async () => {
    await server.close();
    await remove?.();
  });

  /** What is told by its name, as it is. */
  const whole = (schema: JsonSchema): JsonSchema => {
    const { $ref: place } = schema;
    if (typeof place !== 'string') return schema;
    return schemas[place.replace('#/components/schemas/', '')] ?? schema;
  };

  test(
    'are answered as declared, and never with a failure of the server',
    async () => {
      const dice = new Dice(SEED);
      const failures: string[] = [];
      const rpc =
        operations.find(({ operation }) => operation.operationId === 'mcp') ?? dice.oneOf(operations);
      for (let sent = 0; sent < REQUESTS; sent += 1) {
        const { method, path, operation } = dice.chance(10) ? rpc : dice.oneOf(operations);
        const query = new URLSearchParams();
        const headers: Record<string, string> = {};
        let url = path;
        for (const { name, in: place, schema, example } of operation.parameters) {
          const value = example !== undefined && dice.chance(40) ? example : madeFrom(whole(schema), dice);
          if (place === 'path') url = url.replace(`{${name}}`, encoded(value));
          else if (place === 'header') headers[name] = dice.chance(50) ? 'true' : printable(value);
          // A long poll would hold the run up.
          else if (name !== 'wait' && dice.chance(50)) query.set(name, String(value));
        }
        const content = operation.requestBody?.content['application/json'];
        const isRpc = operation.operationId === 'mcp' && dice.chance(90);
        const body = isRpc ? toolCall(dice) : content && bodyFrom(content, dice, whole);
        if (path.startsWith('/v1/console') && dice.chance(80))
          Object.assign(headers, { cookie: person.cookie, ...pageHeaders(server.url) });
        else if (dice.chance(92)) headers.authorization = `Bearer ${key}`;
        const answer = await client.call(method.toUpperCase(), `${url}?${query}`, {
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        if (answer.status >= 500 && answer.status !== 501)
          failures.push(`${method} ${url}?${query} ${JSON.stringify(body)?.slice(0, 800)}: ${answer.text}`);
      }
      expect(failures.slice(0, 5)).toEqual([]);
      // That every answer is one that was declared is seen to by `testing/answer-check.ts`.
      expect(server.logs.filter(({ msg }) => msg === 'unexpected_error')).toEqual([]);
    },
    REQUESTS * 200,
  );
});

/** A tool with arguments that its schema describes, mostly. */
function toolCall(dice: Dice): unknown {
  const tool = dice.oneOf(TOOLS);
  const made = Object(madeFrom(inputSchema(tool), dice)) as Readonly<Record<string, unknown>>;
  const { wait: _, ...given } = dice.chance(50) ? made : { ...exampleArguments(tool), ...one(made) };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.name, arguments: given } };
}

const one = (made: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(made).slice(0, 1));

function bodyFrom(
  { schema, example }: { schema: JsonSchema; example?: unknown },
  dice: Dice,
  whole: (schema: JsonSchema) => JsonSchema,
): unknown {
  const made = madeFrom(whole(schema), dice);
  const isPlain = typeof made === 'object' && made !== null && !Array.isArray(made);
  if (!isPlain || typeof example !== 'object' || example === null || dice.chance(30)) return made;
  // Mostly right, with one member that was made up: this is how far requests come that are refused late.
  const name = Object.keys(made)[0];
  return { ...example, ...(name !== undefined && { [name]: made[name as keyof typeof made] }) };
}

/** Nothing else can stand in a header. */
const printable = (value: unknown): string => String(value).replace(/[^\x20-\x7e]/g, '');

/** Halves of characters cannot stand in a path. */
const encoded = (value: unknown): string =>
  encodeURIComponent(String(value).replace(/\p{Surrogate}/gu, '') || 'x');
