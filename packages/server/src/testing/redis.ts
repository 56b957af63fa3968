import { inject } from 'vitest';
import { runRedis, type TestRedis } from './redis-server.ts';

export type { TestRedis } from './redis-server.ts';

/** Why suites that need a Redis cannot run; undefined when they can. */
export function missingRedis(): string | undefined {
  const redis = inject('redis');
  return 'missing' in redis ? redis.missing : undefined;
}

/** A real redis-server of its own on a free loopback port, which keeps nothing on disk. */
export async function startRedis(more: readonly string[] = []): Promise<TestRedis> {
  const found = inject('redis');
  if ('missing' in found) throw new Error(`Redis is not available: ${found.missing}`);
  return await runRedis(found.program, more);
}
