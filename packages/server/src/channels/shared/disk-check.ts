import type { Redis } from 'ioredis';
import { errorFields, type Log } from '../../platform/log.ts';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';

class ChannelsOnDiskError extends Error {
  override readonly name = 'ChannelsOnDiskError';
  constructor(why: string) {
    super(
      `${why}, so sealed channels could reach a disk; set save "", appendonly no and, where it has replicas, repl-diskless-sync yes ` +
        'and repl-diskless-load swapdb there, or PARLEY_CHANNELS_STRICT=off here',
    );
  }
}

export interface DiskCheck {
  readonly redis: SharedRedis;
  readonly log: Log;
  /** Refused rather than told of. */
  readonly strict: boolean;
}

/** Ciphertext belongs in memory only: a Redis that writes what it holds to a disk is told of, or refused where `strict`. */
export async function checkNothingOnDisk({ redis, log, strict }: DiskCheck): Promise<void> {
  const why = await reasonFor(redis).catch((error: unknown) => {
    log.warn('redis_persistence_unknown', errorFields(error));
    return 'whether the Redis of redis_url keeps what it holds cannot be asked';
  });
  if (why === undefined) return;
  if (strict) throw new ChannelsOnDiskError(why);
  log.warn('channels_may_reach_disk', { reason: why });
}

/** Of a cluster, every one of its servers holds some channels. */
async function reasonFor({ commands }: SharedRedis): Promise<string | undefined> {
  const servers = 'nodes' in commands ? commands.nodes() : [commands];
  const reasons = await Promise.all(servers.map(reasonOf));
  return reasons.find((reason) => reason !== undefined);
}

async function reasonOf(server: Redis): Promise<string | undefined> {
  const told = async (name: string): Promise<string> => {
    const [, value = ''] = await server.config('GET', name);
    return value;
  };
  if ((await told('appendonly')) !== 'no') return 'the Redis of redis_url appends to a file (appendonly)';
  if ((await told('save')) !== '') return 'the Redis of redis_url saves what it holds (save)';
  if (!/^(?:role:slave|connected_slaves:[1-9])/m.test(await server.info('replication'))) return undefined;
  if ((await told('repl-diskless-sync')) !== 'yes')
    return 'the Redis of redis_url writes a file for its replicas (repl-diskless-sync)';
  // Of a replica: it is set as its master is, whose place it may take.
  if (THROUGH_A_FILE.has(await told('repl-diskless-load')))
    return 'replicas of the Redis of redis_url write a file of what they are sent (repl-diskless-load)';
  return undefined;
}

/** The second: where it holds something already, which it does after any break. */
const THROUGH_A_FILE: ReadonlySet<string> = new Set(['disabled', 'on-empty-db']);
