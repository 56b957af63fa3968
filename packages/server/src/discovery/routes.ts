import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openApi } from '@parley/protocol/service/routes';
import type { FastifyInstance } from 'fastify';
import { shapeChannelErrors } from '../channels/routes.ts';
import { baseOf } from '../channels/request-base.ts';
import type { Platform } from '../platform.ts';
import { compressText } from '../platform/http/compression.ts';
import { packageFile } from '../platform/package-folder.ts';
import type { Examples } from './openapi.ts';

// The compiler does not copy this file.
const EXAMPLES = packageFile('src/discovery/examples.json');

/** Servers are asked under few names; whoever makes up more is answered without being remembered. */
const REMEMBERED = 4;

interface Document {
  readonly json: string;
  readonly etag: string;
}

/** `/openapi.json`, made when it is first asked for: most servers never are, and should start fast and stay small. */
export async function discoveryRoutes(
  app: FastifyInstance,
  context: Platform,
  { version }: { version: string },
): Promise<void> {
  shapeChannelErrors(app, context);
  compressText(app);
  const known = new Map<string, Document>();
  app.get(openApi.path, { config: { declaration: openApi } }, async (request, reply) => {
    const base = baseOf(request, context);
    const document = known.get(base) ?? (await documentFor(base, version));
    if (known.size < REMEMBERED) known.set(base, document);
    void reply.headers({
      'Cache-Control': 'no-cache',
      ETag: document.etag,
      'Access-Control-Allow-Origin': '*',
    });
    if (request.headers['if-none-match'] === document.etag) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(document.json);
  });
}

async function documentFor(url: string, version: string): Promise<Document> {
  const { openApiDocument } = await import('./openapi.ts');
  const examples = JSON.parse(readFileSync(EXAMPLES, 'utf8')) as Examples;
  const json = JSON.stringify(openApiDocument({ version, url }, examples));
  return { json, etag: `"${hash('sha256', json, 'base64url').slice(0, 22)}"` };
}
