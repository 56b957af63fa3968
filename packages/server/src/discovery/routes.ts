import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DISCOVERY_ROUTES } from '@parley/protocol/discovery/routes';
import { openApi } from '@parley/protocol/service/routes';
import type { FastifyInstance } from 'fastify';
import { shapeChannelErrors } from '../channels/routes.ts';
import { baseOf } from '../channels/request-base.ts';
import type { Platform } from '../platform.ts';
import { isKnown } from '../platform/http/etag.ts';
import { RouteTable } from '../platform/http/route-table.ts';
import { DetailError } from '../wire/memory/errors.ts';
import { shapeDetailErrors } from '../wire/memory/plugin.ts';
import { invalidJson, schemaError } from '../wire/memory/schema-errors.ts';
import { compressText } from '../platform/http/compression.ts';
import { packageFile } from '../platform/package-folder.ts';
import type { About } from '../platform/http/service-routes.ts';
import type { Examples } from './openapi.ts';

// The compiler does not copy this file.
const EXAMPLES = packageFile('src/discovery/examples.json');

/** Servers are asked under few names; whoever makes up more is answered without being remembered. */
const REMEMBERED = 4;

/** The small documents, each made when it is asked for. */
async function small(app: FastifyInstance, log: Platform['log'], about: About): Promise<void> {
  shapeDetailErrors(app, log, (path) => path);
  const table = new RouteTable<undefined>(
    app,
    {
      authenticate: async () => undefined,
      invalidJson,
      invalid: schemaError,
      methodNotAllowed: (allow) =>
        new DetailError(405, 'Method Not Allowed', { headers: { Allow: allow.join(', ') } }),
    },
    { bodyLimit: 1024 },
  );
  const made = (name: keyof typeof DOCUMENTS) => async () => {
    const documents = await import('./documents.ts');
    return documents[DOCUMENTS[name]](about);
  };
  for (const route of DISCOVERY_ROUTES) table.add(route, made(route.name as keyof typeof DOCUMENTS));
  table.refuseOtherMethods();
}

const DOCUMENTS = {
  'system.discovery': 'overview',
  'system.discovery_well_known': 'overview',
  'system.discovery_tools': 'tools',
  'system.discovery_workflows': 'workflows',
  'system.manifest': 'manifest',
  'system.contracts': 'contracts',
  'system.capabilities': 'features',
  mcp_well_known: 'wellKnownMcp',
  ai_catalog: 'wellKnownCatalog',
} as const;

/** `/openapi.json`, made when it is first asked for: most servers never are, and should start fast and stay small. */
export async function discoveryRoutes(app: FastifyInstance, context: Platform, about: About): Promise<void> {
  const { version } = about;
  await app.register(async (scope) => small(scope, context.log, about));
  shapeChannelErrors(app, context);
  compressText(app);
  const known = new Map<string, Awaited<ReturnType<typeof documentFor>>>();
  app.get(openApi.path, { config: { declaration: openApi } }, async (request, reply) => {
    const base = baseOf(request, context);
    const document = known.get(base) ?? (await documentFor(base, version));
    if (known.size < REMEMBERED) known.set(base, document);
    void reply.headers({
      'Cache-Control': 'no-cache',
      ETag: document.etag,
      'Access-Control-Allow-Origin': '*',
    });
    if (isKnown(request, document.etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(document.json);
  });
}

async function documentFor(url: string, version: string) {
  const { openApiDocument } = await import('./openapi.ts');
  const examples = JSON.parse(readFileSync(EXAMPLES, 'utf8')) as Examples;
  const json = JSON.stringify(openApiDocument({ version, url }, examples));
  return { json, etag: `"${hash('sha256', json, 'base64url').slice(0, 22)}"` };
}
