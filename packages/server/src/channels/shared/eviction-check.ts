import type { Redis } from 'ioredis';
import { errorFields, type Log } from '../../platform/log.ts';
import { linksOf } from '../../platform/redis/connection.ts';
import type { SharedRedis } from '../../platform/redis/shared-redis.ts';

/** A Redis that makes room by throwing keys away would take a part of a channel and leave the rest: it is told of. */
export async function tellOfEviction({ commands }: SharedRedis, log: Log): Promise<void> {
  try {
    const policies = await Promise.all(linksOf(commands).map(policyOf));
    const policy = policies.find((one) => one !== undefined);
    if (policy === undefined) return;
    log.warn('channels_may_lose_parts', {
      reason: `the Redis of redis_url throws keys away when its memory is full (maxmemory-policy ${policy}); set noeviction there`,
    });
  } catch (error) {
    log.warn('redis_eviction_unknown', errorFields(error));
  }
}

/** Undefined where nothing is thrown away: it has no bound, or refuses what is new at its bound. */
async function policyOf(server: Redis): Promise<string | undefined> {
  const memory = await server.info('memory');
  const told = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(memory)?.[1];
  const policy = told('maxmemory_policy');
  return told('maxmemory') === '0' || policy === 'noeviction' ? undefined : policy;
}
