import { request } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy curl would take for this URL, from the same variables: whoever fetched the scripts with curl must get
 * through with them, too. `HTTP_PROXY` in capitals is passed over as curl does, since a request header can set it.
 */
export function proxyFor(target: URL, env: Environment): URL | undefined {
  const own = target.protocol === 'https:' ? either(env, 'https_proxy') : env['http_proxy'];
  const given = own || either(env, 'all_proxy');
  if (!given || isExempt(target.hostname, either(env, 'no_proxy') ?? '')) return undefined;
  const text = given.includes('://') ? given : `http://${given}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  return proxy?.protocol === 'http:' ? proxy : undefined;
}

function either(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()];
}

/** This machine, of which a proxy has another one, and `no_proxy`: names with everything below them, addresses, or `*`. */
function isExempt(hostname: string, list: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (/^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)) return true;
  return list.split(',').some((entry) => {
    const name = entry
      .trim()
      .toLowerCase()
      .replace(/^\.|^\[|\]$/g, '');
    return name === '*' || (name !== '' && (host === name || host.endsWith(`.${name}`)));
  });
}

export function proxyAddress({ hostname, port }: URL): { hostname: string; port: string | number } {
  return { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port: port || 80 };
}

export function proxyHeaders(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

type Create = HttpsAgent['createConnection'];

/** Connections to https servers through a tunnel, so that the proxy sees their name and nothing else. */
export class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;

  constructor(proxy: URL) {
    super({ keepAlive: true });
    this.#proxy = proxy;
  }

  override createConnection(options: Parameters<Create>[0], callback: Parameters<Create>[1]): undefined {
    // Agents are always called with one, and a failure has no stream to give it.
    const done = callback as (error: Error | null, stream?: Duplex) => void;
    const host = options.host ?? '';
    const asked = request({
      ...proxyAddress(this.#proxy),
      method: 'CONNECT',
      path: `${host}:${options.port}`,
      headers: { host: `${host}:${options.port}`, ...proxyHeaders(this.#proxy) },
      agent: false,
    });
    asked.once('error', done);
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) {
        done(null, connectTls({ socket, host, servername: options.servername ?? host }));
        return;
      }
      socket.destroy();
      done(new Error(`the proxy ${this.#proxy.host} answered ${statusCode}`));
    });
    asked.end();
  }
}
