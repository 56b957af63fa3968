import { readFileSync } from 'node:fs';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

/** One server, the master that sentinels name, or a cluster: callers see no difference. */
export type RedisConnection = Redis | Cluster;

class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError';
  constructor(why: string) {
    super(
      `redis_url ${why}: expected redis://host:port, rediss://host:port, redis+sentinel://host:port,host:port/master ` +
        'or redis+cluster://host:port,host:port',
    );
  }
}

const CONNECT_MS = 2_000;
const SLOWEST_RETRY_MS = 1_000;

const COMMON = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  // What cannot be sent now is told at once: hints are dropped, limits fall back, channels answer 503.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  enableAutoPipelining: true,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** attempt, SLOWEST_RETRY_MS),
} satisfies RedisOptions;

interface Parsed {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  readonly hosts: readonly { host: string; port: number }[];
  readonly options: RedisOptions;
  readonly master: string;
}

/** Connects when `connect` is called, and again by itself whenever the connection is lost. */
export function redisConnection(url: string): RedisConnection {
  const { kind, hosts, options, master } = parse(url);
  if (kind === 'cluster') {
    const { retryStrategy: clusterRetryStrategy, ...redisOptions } = { ...COMMON, ...options };
    const cluster: ClusterOptions = {
      redisOptions: { ...redisOptions, lazyConnect: undefined },
      clusterRetryStrategy,
      lazyConnect: true,
      enableOfflineQueue: false,
      enableAutoPipelining: true,
    };
    return new Cluster([...hosts], cluster);
  }
  if (kind === 'sentinel') return new Redis({ ...COMMON, ...options, sentinels: [...hosts], name: master });
  return new Redis({ ...COMMON, ...options, ...hosts[0] });
}

const PROTOCOLS: ReadonlyMap<string, { kind: Parsed['kind']; tls: boolean; port: number }> = new Map([
  ['redis', { kind: 'single', tls: false, port: 6379 }],
  ['rediss', { kind: 'single', tls: true, port: 6379 }],
  ['redis+sentinel', { kind: 'sentinel', tls: false, port: 26_379 }],
  ['rediss+sentinel', { kind: 'sentinel', tls: true, port: 26_379 }],
  ['redis+cluster', { kind: 'cluster', tls: false, port: 6379 }],
  ['rediss+cluster', { kind: 'cluster', tls: true, port: 6379 }],
]);

/** Several hosts stand in one URL, which no parser of URLs takes. */
const SHAPE = /^([a-z+]+):\/\/(?:([^@/]*)@)?([^@/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

function parse(url: string): Parsed {
  const [, name = '', login = '', places = '', path = '', query = ''] = SHAPE.exec(url) ?? [];
  const protocol = PROTOCOLS.get(name);
  if (!protocol) throw new RedisUrlError(`begins with "${name.slice(0, 20)}"`);
  const [user, password] = login.includes(':') ? splitOnce(login, ':') : ['', login];
  const hosts = places.split(',').map((place) => hostOf(place, protocol.port));
  const authority = new URLSearchParams(query).get('ca');
  const tls = protocol.tls && { tls: authority === null ? {} : { ca: readFileSync(authority) } };
  const [master = '', database = ''] = protocol.kind === 'sentinel' ? path.split('/') : ['', path];
  if (protocol.kind === 'sentinel' && master === '') throw new RedisUrlError('names no master');
  if (!/^\d*$/.test(database)) throw new RedisUrlError(`has the database "${database.slice(0, 20)}"`);
  if (protocol.kind === 'cluster' && Number(database) > 0) throw new RedisUrlError('names a database');
  return {
    kind: protocol.kind,
    hosts,
    master,
    options: {
      ...(user !== '' && { username: decodeURIComponent(user) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(database !== '' && { db: Number(database) }),
      ...tls,
    },
  };
}

function hostOf(place: string, fallback: number): { host: string; port: number } {
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(place) ?? [];
  const host = bracketed ?? plain;
  if (host === '') throw new RedisUrlError(`has the host "${place.slice(0, 40)}"`);
  return { host, port: port === undefined ? fallback : Number(port) };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}
