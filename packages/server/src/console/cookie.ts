import { CONSOLE_COOKIE, CONSOLE_SESSION_MS } from '@parley/protocol/console/session-routes';
import type { IncomingMessage } from 'node:http';
import { publicBase } from '../platform/http/public-base.ts';
import type { Platform } from '../platform.ts';

/** The value of our cookie; undefined when there is none. */
export function cookieOf({ headers }: IncomingMessage): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === CONSOLE_COOKIE) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * No script reads it, no page of another site makes a browser send it, and behind https it never travels in the clear.
 * An empty token takes the cookie away.
 */
export function cookieHeader(
  request: IncomingMessage,
  { config, proxies }: Pick<Platform, 'config' | 'proxies'>,
  token: string,
): string {
  const base = publicBase(request, { publicUrl: config.publicUrl, proxies });
  return [
    `${CONSOLE_COOKIE}=${token}`,
    'Path=/',
    `Max-Age=${token === '' ? 0 : CONSOLE_SESSION_MS / 1000}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(base?.startsWith('https:') ? ['Secure'] : []),
  ].join('; ');
}

const OWN_SITE: ReadonlySet<unknown> = new Set([undefined, 'same-origin', 'none']);

/** A page on another port of this machine is of the same site: its requests carry the cookie, and must not count. */
export const comesFromElsewhere = ({ headers }: IncomingMessage): boolean =>
  !OWN_SITE.has(headers['sec-fetch-site']);

/** Whether a page of this server asks. Browsers name the origin with every change; who names none is no page. */
export function isOwnOrigin({ headers }: IncomingMessage, publicUrl: string | undefined): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return false;
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true;
  return host !== undefined && /^https?:\/\/(.+)$/.exec(origin)?.[1] === host.toLowerCase();
}
