import { checkNothingOnDisk, type DiskCheck } from './disk-check.ts';
import { tellOfEviction } from './eviction-check.ts';

/** How a Redis is set that is to hold sealed channels. */
export async function checkRedis(options: DiskCheck): Promise<void> {
  await checkNothingOnDisk(options);
  await tellOfEviction(options.redis, options.log);
}
