import { API, type ApiModule } from '@parley/protocol/api';
import { answerForm, type RouteDeclaration } from '@parley/protocol/route';
import { type JsonSchema, jsonSchema, type NamedSchemas } from './json-schema.ts';
import { namedSchemas } from './named-schemas.ts';
import { SUMMARY } from './documents.ts';

/** What was sent and answered when the examples were last run. */
export interface Example {
  readonly path?: readonly string[] | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly status: number;
  readonly answer?: unknown;
}

export type Examples = Readonly<Record<string, Example>>;

/** The whole interface as OpenAPI 3.1, from the declarations that also route, check and answer. */
export function openApiDocument(about: { version: string; url: string }, examples: Examples): object {
  const named = namedSchemas();
  const paths: Record<string, Record<string, object>> = {};
  for (const module of API) {
    const refused = refusal(named, jsonSchema(module.error, 'output'));
    for (const route of module.routes) {
      const item = (paths[route.path] ??= {});
      const described = { route, named, example: examples[route.name] };
      const responses = { ...successes(described), default: refused };
      item[route.method.toLowerCase()] = { ...operation(module, described), responses };
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Parley',
      version: about.version,
      summary: SUMMARY,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: about.url }],
    tags: API.map(({ name, summary }) => ({ name, description: summary })),
    paths,
    components: {
      schemas: named.components(),
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key (ak_… of an agent, cue_sk_… of an owner) or a session token (as_…).',
        },
      },
    },
  };
}

/** A route with what it is told with. */
interface Described {
  readonly route: RouteDeclaration;
  readonly named: NamedSchemas;
  readonly example: Example | undefined;
}

function operation({ name: tag }: ApiModule, described: Described): object {
  const { route, named, example } = described;
  return {
    operationId: route.name,
    tags: [tag],
    summary: route.summary,
    ...securityOf(route),
    parameters: [...pathParameters(described), ...queryParameters(described), ...headerParameters(route)],
    ...(route.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: named.referring(jsonSchema(route.body, 'input')),
            ...(example?.body !== undefined && { example: example.body }),
          },
        },
      },
    }),
  };
}

/** What is proven by something else than a key, or by nothing. */
const OPEN: ReadonlySet<string> = new Set(['none', 'human_code', 'channel token']);

function securityOf({ auth }: RouteDeclaration): object {
  if (OPEN.has(auth)) return { security: [] };
  return { security: auth === 'optional key' ? [{}, { key: [] }] : [{ key: [] }], 'x-auth': auth };
}

const PARAMETER = /\{(\w+)\}/g;

function pathParameters({ route, example }: Described): object[] {
  return [...route.path.matchAll(PARAMETER)].map(([, name], at) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
    ...(example?.path?.[at] !== undefined && { example: example.path[at] }),
  }));
}

const headerParameters = ({ headers = {} }: RouteDeclaration): object[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }));

function queryParameters({ route: { query }, named, example }: Described): object[] {
  if (!query) return [];
  const { properties = {}, required = [] } = jsonSchema(query, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    schema: named.referring(schema),
    ...(example?.query?.[name] !== undefined && { example: example.query[name] }),
  }));
}

function successes(described: Described): Record<string, object> {
  const { route } = described;
  if (route.unsupported) return {};
  const { silent = [], otherSuccesses = [] } = route;
  const statuses = [route.success, ...otherSuccesses, ...silent];
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      status === 204 || silent.includes(status)
        ? { description: 'Done; there is nothing to tell.' }
        : { description: DESCRIPTIONS[String(answerForm(route))], content: contentOf(described) },
    ]),
  );
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  json: 'The answer.',
  stream: 'Server-sent events; the schema is that of the data of one of them.',
  text: 'A text.',
};

function contentOf({ route, named, example }: Described): object {
  if (route.media) return { [route.media]: { schema: { type: 'string' } } };
  const schema = route.answer ?? route.events;
  const content = {
    ...(schema && { schema: named.referring(jsonSchema(schema, 'output')) }),
    ...(route.answer && example?.answer !== undefined && { example: example.answer }),
  };
  return { [route.events ? 'text/event-stream' : 'application/json']: content };
}

const refusal = (named: NamedSchemas, schema: JsonSchema): object => ({
  description: 'Refused; the body says why.',
  content: { 'application/json': { schema: named.referring(schema) } },
});
