import { startPostgres } from '../../packages/server/src/testing/postgres.ts';
import { findOrInstall } from '../../packages/server/src/testing/debian.ts';
import { runRedis } from '../../packages/server/src/testing/redis-server.ts';
import { UNLIMITED } from '../scenarios/unlimited.ts';
import { type ServerProcess, startParley } from './server-process.ts';

export interface Stores {
  readonly postgres: string;
  readonly redis: string;
  stop(): Promise<void>;
}

/** A PostgreSQL that writes to the disk before it answers, and a Redis that keeps nothing there. */
export async function startStores(): Promise<Stores> {
  const found = findOrInstall('redis-server', 'redis-server');
  if ('missing' in found) throw new Error(`Redis is not available: ${found.missing}`);
  const postgres = await startPostgres({ durable: true });
  const redis = await runRedis(found.program);
  return {
    postgres: postgres.url,
    redis: redis.url,
    async stop() {
      await redis.stop();
      await postgres.stop();
    },
  };
}

/** What their connections are called in PostgreSQL. */
export const NODE_NAMES = ['node one', 'node two'];

/** Two nodes with their defaults, but for what guards against one client. */
export async function startTwoNodes(stores: Stores): Promise<readonly [ServerProcess, ServerProcess]> {
  const start = (name = ''): Promise<ServerProcess> => {
    const url = new URL(stores.postgres);
    url.searchParams.set('application_name', name);
    return startParley({
      ...UNLIMITED,
      PARLEY_DATABASE_URL: url.href,
      PARLEY_REDIS_URL: stores.redis,
      PARLEY_SECRET_KEY: '5'.repeat(64),
    });
  };
  return [await start(NODE_NAMES[0]), await start(NODE_NAMES[1])];
}
