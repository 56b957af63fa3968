import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';

export interface EntranceOptions {
  /** The address the server listens on. */
  host: string;
  publicUrl: string | undefined;
  trustedProxies: readonly string[];
  allowedHosts: readonly string[];
  /** How many times as much the machine itself may do on a server that is for it alone. */
  rlLocalFactor: number;
  /** Whose pages may do without a credential what this server's own pages may. */
  allowedOrigins: readonly string[];
}

/** Why a request is not let in, for whoever has to fix it. */
export interface Refused {
  readonly reason: 'host' | 'origin' | 'disk';
  readonly text: string;
}

const FORWARDING = [
  'x-forwarded-for',
  'forwarded',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];
const ANY = '*';
/** Spellings of hosts that are remembered as known; beyond this they are looked at each time. */
const MOST_REMEMBERED = 256;

/**
 * Which names and which pages lead to this server.
 *
 * A page of any site can make a browser send requests to this machine, and can give its own name the address 127.0.0.1,
 * which makes its requests look like those of our own pages. So a server on a loopback address answers to names that no
 * stranger can own; and a page of another origin that proves nothing may read, and change nothing.
 */
export class Entrance {
  /** Whether the server is for this machine alone: nobody was told of another way to it. */
  readonly isLocal: boolean;
  readonly #sparesItself: boolean;
  readonly #checksHosts: boolean;
  readonly #names: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #remembered = new Set<string>();

  constructor(options: EntranceOptions) {
    const { host, publicUrl, trustedProxies, allowedHosts, allowedOrigins } = options;
    const loopback = isLoopbackName(nameOf(host));
    const own = publicUrl === undefined ? [] : [new URL(publicUrl)];
    this.isLocal = loopback && publicUrl === undefined && trustedProxies.length === 0;
    this.#sparesItself = this.isLocal && options.rlLocalFactor > 1;
    this.#checksHosts = (loopback || allowedHosts.length > 0) && !allowedHosts.includes(ANY);
    this.#names = new Set([...allowedHosts, ...own.map((url) => url.host)].map(nameOf));
    this.#origins = new Set([...allowedOrigins, ...own.map((url) => url.origin)].map(lower));
  }

  /**
   * Whether somebody stands between the client and a server that is thought to be for this machine alone. Such a request
   * comes from a loopback address whoever sent it, and must not be taken for one of this machine's own.
   */
  isForwarded({ headers }: IncomingMessage): boolean {
    return this.#sparesItself && FORWARDING.some((name) => headers[name] !== undefined);
  }

  /** Undefined when the server answers to the name that the request calls it by. */
  refusedHost({ headers }: IncomingMessage): Refused | undefined {
    const { host } = headers;
    // Whoever names none is no browser.
    if (!this.#checksHosts || host === undefined || host === '' || this.#remembered.has(host))
      return undefined;
    const name = nameOf(host);
    if (!isLoopbackName(name) && !this.#names.has(name)) {
      return {
        reason: 'host',
        text: `This server does not answer to the host ${JSON.stringify(host.slice(0, 100))}. Behind a reverse proxy set PARLEY_PUBLIC_URL to the address that clients use, or list the name in PARLEY_ALLOWED_HOSTS.`,
      };
    }
    if (this.#remembered.size < MOST_REMEMBERED) this.#remembered.add(host);
    return undefined;
  }

  /** Undefined for pages of this server, of allowed origins, and for whoever is no page at all. */
  refusedOrigin({ headers }: IncomingMessage): Refused | undefined {
    const { origin, host } = headers;
    if (origin === undefined) return undefined;
    const known = lower(origin);
    if (this.#origins.has(known) || known.replace(/^https?:\/\//, '') === host?.toLowerCase())
      return undefined;
    return {
      reason: 'origin',
      text: `Pages of ${JSON.stringify(origin.slice(0, 100))} may do this only with a credential. The operator can list the origin in PARLEY_CORS_ORIGINS, or set PARLEY_PUBLIC_URL where this is the server's own address.`,
    };
  }
}

/** A name or address that leads to the machine itself, wherever it is looked up. */
export function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name === '::1' || name.endsWith('.localhost')) return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

const lower = (text: string): string => text.toLowerCase().replace(/\/+$/, '');

/** Without port, brackets, and the dot that a whole name may end with. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase()) ?? [];
  return bracketed ?? (plain === '' ? host.toLowerCase() : plain.replace(/\.$/, ''));
}
