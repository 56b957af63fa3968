import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readFileSync } from 'node:fs';
import { packageFile } from '../platform/package-folder.ts';
import { DeliveryError, shapeDeliveryErrors } from '../wire/delivery/errors.ts';
import type { ConsoleContext } from './create-module.ts';

// The build puts them there.
const FOLDER = packageFile('dist/assets/console/');
const ASSET = /^[\w-]+\.(?:js|css)$/;
const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

/** Nothing but our own files runs, and no page may frame it: a click in it changes things. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type AssetRequest = FastifyRequest<{ Params: { name: string } }>;

/** The page of the console, the same for every path below it, and its files. */
export async function consolePageRoutes(
  app: FastifyInstance,
  { log }: Pick<ConsoleContext, 'log'>,
): Promise<void> {
  shapeDeliveryErrors(app, log);
  const files = new Map<string, Buffer>();
  const file = (name: string): Buffer => {
    const known = files.get(name) ?? readFileSync(new URL(name, FOLDER));
    files.set(name, known);
    return known;
  };

  app.get('/console/assets/:name', (request: AssetRequest, reply) => {
    const { name } = request.params;
    if (!ASSET.test(name)) throw new DeliveryError('http_error');
    const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (zipped) void reply.header('Content-Encoding', 'gzip');
    // The name changes with what is in it.
    return reply
      .type(name.endsWith('.css') ? TYPES.css : TYPES.js)
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .header('Vary', 'Accept-Encoding')
      .send(found(() => file(zipped ? `${name}.gz` : name)));
  });

  for (const path of ['/console', '/console/*']) {
    app.get(path, (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .headers({
          'Content-Security-Policy': POLICY,
          'Cache-Control': 'no-store',
          'Referrer-Policy': 'no-referrer',
        })
        .send(file('index.html')),
    );
  }
}

function found(read: () => Buffer): Buffer {
  try {
    return read();
  } catch {
    throw new DeliveryError('http_error');
  }
}
