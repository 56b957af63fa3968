import type { Bus } from '../bus/bus.ts';
import { MemoryBus } from '../bus/memory-bus.ts';
import type { Closing } from '../closing.ts';
import type { Database } from '../database/database.ts';
import { DatabaseInUseError, DatabaseUnusableError } from '../database/errors.ts';
import { sql } from '../database/sql.ts';
import { errorFields, type Log } from '../log.ts';
import type { NodeLock } from './node-lock.ts';
import type { SharedRedis } from '../redis/shared-redis.ts';
import type { Parts } from '../parts.ts';

export interface JoinOptions
  extends Pick<Parts, 'log' | 'clock' | 'metrics' | 'health' | 'database'>,
    Pick<Cluster, 'node' | 'nodeBefore' | 'place'> {
  readonly config: {
    readonly databaseUrl: string | undefined;
    readonly databaseDirectUrl: string | undefined;
    readonly redisUrl: string | undefined;
  };
  readonly closing: Closing;
  /** One that a test shares between servers on any store. */
  readonly redis?: SharedRedis | undefined;
}

/** What this process shares with others that run on the same store. */
export interface Cluster {
  /** This process, as no other calls itself. */
  readonly node: string;
  /** The one before it in the same folder, where that was ended before it could leave. */
  readonly nodeBefore: string | undefined;
  /** No other process may use the store while this one does. */
  readonly isAlone: boolean;
  readonly bus: Bus;
  /** Takes this node out of the list of nodes. */
  leave: () => Promise<void> | undefined;
  /** The other nodes that serve the store, as far as was last seen. */
  others: () => readonly string[];
  /** Undefined on a store that is a file. */
  readonly place: NodeLock | undefined;
  /** Undefined on a server that is alone. */
  readonly redis: SharedRedis | undefined;
}

class RedisNeedsPostgresError extends Error {
  override readonly name = 'RedisNeedsPostgresError';
  constructor() {
    super(
      'redis_url is set but database_url is not: several nodes share PostgreSQL and Redis; one on a file needs neither',
    );
  }
}

/** Takes this server's place on its store, alone or among others that share a Redis with it, before it changes anything there. */
export async function takePlace(
  options: Pick<JoinOptions, 'config' | 'clock' | 'log' | 'closing' | 'health'>,
): Promise<NodeLock | undefined> {
  const { config, clock, log, closing, health } = options;
  if (config.databaseUrl === undefined) {
    if (config.redisUrl !== undefined) throw new RedisNeedsPostgresError();
    return undefined;
  }
  // Loaded where it is used: a server on a file needs no client for it.
  const { NodeLock } = await import('./node-lock.ts');
  const direct = config.databaseDirectUrl;
  const url = direct ?? config.databaseUrl;
  const lock = new NodeLock({ url, shared: config.redisUrl !== undefined, clock, log });
  closing.add(() => lock.release());
  await lock.take().catch((error: unknown) => {
    const told = error instanceof DatabaseInUseError || error instanceof DatabaseUnusableError;
    const setting = direct === undefined ? 'database_url' : 'database_direct_url';
    throw told ? error : new DatabaseUnusableError(`the database of ${setting}`, error);
  });
  health.check('place', async () => {
    if (!lock.held) throw new Error('the place of this node is not held');
  });
  return lock;
}

/** Connects this server to the others of its store, if there may be any. */
export async function joinCluster(options: JoinOptions): Promise<Cluster> {
  const { config, node, nodeBefore, place, database, clock, log, closing } = options;
  await place?.prove(node);
  if (place) await tellOfForgetful(database, log);
  const here = { node, nodeBefore, place, leave: () => undefined, others: () => [] };
  const onError = (error: unknown, subject: string): void =>
    log.error('bus_listener_failed', { subject, ...errorFields(error) });
  if (config.redisUrl === undefined) {
    const bus = new MemoryBus(onError);
    closing.add(() => bus.close());
    return { ...here, isAlone: true, bus, redis: options.redis };
  }
  const { SharedRedis } = await import('../redis/shared-redis.ts');
  const { RedisBus } = await import('../bus/redis-bus.ts');
  const name = await clusterName(database, node);
  const redis = await SharedRedis.open({ ...options, url: config.redisUrl, name });
  closing.add(() => redis.close());
  const bus = new RedisBus({
    listening: redis.listening,
    sending: redis.commands,
    channel: redis.key('bus'),
    node,
    clock,
    onError,
  });
  closing.add(() => bus.close());
  await bus.start();
  return { ...here, isAlone: false, bus, redis };
}

/** What is acknowledged is to be on disk. */
async function tellOfForgetful({ read }: Database, log: Log): Promise<void> {
  const commits = await read.value<string>(sql`SELECT current_setting('synchronous_commit') AS commits`);
  if (commits === 'off')
    log.warn('database_may_forget', {
      reason:
        'synchronous_commit is off for the user of database_url: what is acknowledged is lost when PostgreSQL crashes',
    });
}

/** The first node names it. */
async function clusterName(database: Database, proposed: string): Promise<string> {
  return await database.write(async (tx) => {
    await tx.lock('cluster name');
    const known = await tx.get<{ id: string }>(sql`SELECT id FROM clusters`);
    if (known) return known.id;
    await tx.run(sql`INSERT INTO clusters (id) VALUES (${proposed})`);
    return proposed;
  });
}
