import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { keepNewest } from '../newest.ts';

type Encoding = 'br' | 'gzip';

/** Pages, scripts and Markdown. Never event streams, whose frames must not wait, and JSON is too small to gain. */
const TEXT = /^(?:text\/(?:html|markdown|plain)|image\/svg\+xml)\b/;
const WORTH_BYTES = 1_024;
/** Callers choose the host that stands in a text, so only so many are kept. */
const KEPT_TEXTS = 32;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Compresses the texts of this scope for clients that take it. Those that are the same for everyone once. */
export function compressText(app: FastifyInstance): void {
  const kept = new Map<string, Promise<Buffer>>();

  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const type = String(reply.getHeader('content-type') ?? '');
    if (typeof payload !== 'string' || !TEXT.test(type)) return payload;
    const vary = reply.getHeader('vary');
    void reply.header('Vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
    const encoding = bestEncoding(request.headers['accept-encoding']);
    if (encoding === undefined || Buffer.byteLength(payload) < WORTH_BYTES) return payload;
    void reply.header('Content-Encoding', encoding).removeHeader('Content-Length');
    // A path with parameters or a query may hold a secret: it is not kept.
    const isSameForAll = !request.url.includes('?') && request.routeOptions.url?.includes(':') === false;
    return await (isSameForAll ? once(kept, encoding, payload) : compressed(encoding, payload));
  });
}

function once(kept: Map<string, Promise<Buffer>>, encoding: Encoding, text: string): Promise<Buffer> {
  const key = `${encoding} ${text}`;
  const known = kept.get(key) ?? compressed(encoding, text);
  keepNewest(kept, key, known, KEPT_TEXTS);
  return known;
}

function compressed(encoding: Encoding, text: string): Promise<Buffer> {
  if (encoding === 'gzip') return zip(text);
  return brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

/** What the client likes best of what we have; Brotli where it does not care. */
export function bestEncoding(header: string | string[] | undefined): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of String(header ?? '')
    .toLowerCase()
    .split(',')
    .slice(0, 20)) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, Number(weight) || 0);
  }
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  const best: Encoding = weightOf('gzip') > weightOf('br') ? 'gzip' : 'br';
  return weightOf(best) > 0 ? best : undefined;
}
