import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { baseOf } from './channels/request-base.ts';
import { shapeChannelErrors } from './channels/routes.ts';
import type { AppContext } from './context.ts';
import { isKnown } from './platform/http/etag.ts';
import { keepNewest } from './platform/newest.ts';
import { packageFile } from './platform/package-folder.ts';
import { VERSION } from './version.ts';

/** The command line as one file, made by `npm run build`. In it stands where it came from. */
const PLACE = '@@PARLEY_SERVER@@';

interface Download {
  readonly text: string;
  readonly sha256: string;
}

/**
 * `GET /cli.mjs`, `/cli.json` and `/install.sh`. The file knows the server it came from, so its hash is that of the address it was
 * asked for by; the installer compares the two, which shows a download that was cut short or altered by something in between.
 */
export function cliRoutes(app: FastifyInstance, context: AppContext): void {
  shapeChannelErrors(app, context);
  const installer = readFileSync(packageFile('src/install.sh'), 'utf8');
  const made = new Map<string, Download>();
  const downloadFor = (base: string): Download => {
    const known = made.get(base);
    if (known) return known;
    const text = readFileSync(packageFile('dist/cli.mjs'), 'utf8').replace(PLACE, base);
    const download = { text, sha256: createHash('sha256').update(text).digest('hex') };
    // A handful of names lead here. A stranger who invents more must neither fill the memory nor keep the others out.
    keepNewest(made, base, download, MOST_BASES);
    return download;
  };
  app.get('/cli.mjs', (request, reply) => {
    const { text, sha256 } = downloadFor(baseOf(request, context));
    void reply.header('ETag', `"${sha256}"`).header('Cache-Control', 'no-cache');
    if (isKnown(request, `"${sha256}"`)) return reply.code(304).send();
    return reply.type('text/javascript; charset=utf-8').header('X-SHA256', sha256).send(text);
  });
  app.get('/cli.json', (request, reply) => {
    const base = baseOf(request, context);
    const { text, sha256 } = downloadFor(base);
    return reply.header('Cache-Control', 'no-cache').send({
      version: VERSION,
      url: `${base}/cli.mjs`,
      sha256,
      bytes: Buffer.byteLength(text),
      node: '>=20.19',
    });
  });
  app.get('/install.sh', (request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('Cache-Control', 'no-cache')
      .send(installer.replace(PLACE, baseOf(request, context))),
  );
}

const MOST_BASES = 8;
