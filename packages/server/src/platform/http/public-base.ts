import type { IncomingMessage } from 'node:http';
import type { TrustedProxies } from './client-address.ts';

const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/**
 * The URL under which this caller reaches the server, without a trailing slash. It is put into shell text and
 * into pages, so anything but scheme and `name-or-ip[:port]` is refused (undefined).
 */
export function publicBase(
  request: IncomingMessage,
  { publicUrl, proxies }: { publicUrl: string | undefined; proxies: TrustedProxies },
): string | undefined {
  if (publicUrl) return publicUrl.replace(/\/+$/, '');
  const host = request.headers.host ?? '';
  const scheme = proxies.has(request.socket.remoteAddress ?? '')
    ? forwardedScheme(request)
    : socketScheme(request);
  if (!HOST.test(host) || scheme === undefined) return undefined;
  return `${scheme}://${host}`;
}

function socketScheme(request: IncomingMessage): string {
  return 'encrypted' in request.socket ? 'https' : 'http';
}

function forwardedScheme(request: IncomingMessage): string | undefined {
  const header = request.headers['x-forwarded-proto'];
  if (header === undefined || header === '') return socketScheme(request);
  return header === 'http' || header === 'https' ? header : undefined;
}

const PUBLIC_URL = /^https?:\/\/([^/]+)(?:\/[\w./~-]*)?$/;

/** Checks the configured public URL once at start: as it is written, since it is shown as it is written. */
export function checkPublicUrl(url: string | undefined): void {
  if (url === undefined || HOST.test(PUBLIC_URL.exec(url)?.[1] ?? '')) return;
  throw new Error(
    `public_url: ${JSON.stringify(url)} is not an http(s) URL without query, fragment and user`,
  );
}
