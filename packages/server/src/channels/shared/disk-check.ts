import type { Redis } from 'ioredis';
import { errorFields, type Log } from '../../platform/log.ts';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';

class ChannelsOnDiskError extends Error {
  override readonly name = 'ChannelsOnDiskError';
  constructor(why: string) {
    super(
      `${why}, so sealed channels could reach a disk; set save "" and appendonly no there, or PARLEY_CHANNELS_STRICT=off here`,
    );
  }
}

/** Ciphertext belongs in memory only: a Redis that writes what it holds to a disk is told of, or refused where `strict`. */
export async function checkNothingOnDisk({
  redis,
  log,
  strict,
}: {
  redis: SharedRedis;
  log: Log;
  strict: boolean;
}): Promise<void> {
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
  return undefined;
}
