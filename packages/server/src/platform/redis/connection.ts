import { readFileSync } from 'node:fs';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisPlace, RedisUrlError } from './redis-url.ts';

/** One server, the master that sentinels name, or a cluster: callers see no difference. */
export type RedisConnection = Redis | Cluster;

const CONNECT_MS = 2_000;
const SLOWEST_RETRY_MS = 1_000;
const SLOTS_MS = 5_000;

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
      // By itself it would ask who has which part when an answer says that it is wrong, and of one that says nothing there is none.
      slotsRefreshInterval: SLOTS_MS,
      // What was under way when a connection broke may have been done: whoever asked is told, and it is not sent again.
      retryDelayOnFailover: 0,
    };
    return new Cluster([...hosts], cluster).on('+node', surviveErrors);
  }
  if (kind === 'single') return keepsListening({ ...COMMON, ...options, ...hosts[0] });
  // Left to itself it would go to the master that they name without TLS.
  const secure = tls && { sentinelTLS: tls, enableTLSForSentinelMode: true };
  return keepsListening({ ...COMMON, ...options, ...secure, sentinels: [...hosts], name });
}

/** The connections to single servers that it consists of now. */
export const linksOf = (connection: RedisConnection): readonly Redis[] =>
  connection instanceof Cluster ? connection.nodes() : [connection];

/** Answered after all that was told before to who listens to this channel. */
export const heardUntilNow = (listening: RedisConnection, channel: string): Promise<unknown> =>
  // A cluster is asked over other connections than the one it is listened to by.
  listening instanceof Cluster ? listening.subscribe(channel) : listening.ping();

/**
 * What it listened to it listens to again whenever it is back. The client does so by itself, but once: where the connection breaks in that
 * moment it would listen to nothing from then on, and the refusal, which nobody waits for, would end the process.
 */
function keepsListening(options: RedisOptions): Redis {
  const connection = new Redis({ ...options, autoResubscribe: false });
  surviveErrors(connection);
  const wanted = new Set<string>();
  const subscribe = connection.subscribe.bind(connection);
  const unsubscribe = connection.unsubscribe.bind(connection);
  connection.on('ready', () => {
    if (wanted.size > 0) subscribe(...wanted).catch(() => connection.disconnect(true));
  });
  return Object.assign(connection, {
    async subscribe(channel: string) {
      wanted.add(channel);
      try {
        return await subscribe(channel);
      } catch (error) {
        wanted.delete(channel);
        throw error;
      }
    },
    async unsubscribe(channel: string) {
      wanted.delete(channel);
      return await unsubscribe(channel);
    },
  });
}

/**
 * The client hears the first error of a socket and no other: the second, as of a handshake that it broke off itself over a certificate,
 * would end the process.
 */
function surviveErrors(connection: Redis): void {
  connection.on('error', () => connection.stream?.once('error', () => {}));
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
