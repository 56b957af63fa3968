import { readFileSync } from 'node:fs';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisPlace, RedisUrlError } from './redis-url.ts';

/** One server, the master that sentinels name, or a cluster: callers see no difference. */
export type RedisConnection = Redis | Cluster;

const CONNECT_MS = 2_000;
const SLOWEST_RETRY_MS = 1_000;

const COMMON = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  // What cannot be sent now is told at once: hints are dropped, limits fall back, what is kept there answers 503.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  enableAutoPipelining: true,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** attempt, SLOWEST_RETRY_MS),
} satisfies RedisOptions;

/** Connects when `connect` is called, and again by itself whenever the connection is lost. */
export function redisConnection(url: string): RedisConnection {
  const place = parseRedisUrl(url);
  const { kind, hosts, master: name, username, password, database } = place;
  const tls = tlsOf(place);
  const options = {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { db: database }),
    ...(tls && { tls }),
  };
  if (kind === 'cluster') {
    const { retryStrategy: clusterRetryStrategy, ...redisOptions } = { ...COMMON, ...options };
    const cluster: ClusterOptions = {
      redisOptions: { ...redisOptions, lazyConnect: undefined },
      clusterRetryStrategy,
      lazyConnect: true,
      enableOfflineQueue: false,
      enableAutoPipelining: true,
      // What was under way when a connection broke may have been done: whoever asked is told, and it is not sent again.
      retryDelayOnFailover: 0,
    };
    return new Cluster([...hosts], cluster);
  }
  if (kind === 'single') return new Redis({ ...COMMON, ...options, ...hosts[0] });
  // Left to itself it would go to the master that they name without TLS.
  const secure = tls && { sentinelTLS: tls, enableTLSForSentinelMode: true };
  return new Redis({ ...COMMON, ...options, ...secure, sentinels: [...hosts], name });
}

function tlsOf({ tls, authority }: RedisPlace): { ca?: Buffer } | undefined {
  if (!tls) return undefined;
  if (authority === undefined) return {};
  try {
    return { ca: readFileSync(authority) };
  } catch (error) {
    throw new RedisUrlError(
      `names a "ca" that cannot be read (${error instanceof Error ? error.message : ''})`,
    );
  }
}
