import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { freePort } from '../../../testing/free-port.ts';
import { startRedis, type TestRedis } from '../../../testing/redis.ts';

export interface TestRedisCluster {
  readonly url: string;
  /** Each has half of the slots. */
  readonly masters: readonly [TestRedis, TestRedis];
  stop(): Promise<void>;
}

/** A Redis Cluster of two masters. */
export async function startRedisCluster(): Promise<TestRedisCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-redis-cluster-'));
  const start = async (name: string): Promise<TestRedis & { busPort: number }> => {
    const busPort = await freePort();
    const file = join(directory, `${name}.conf`);
    const more = [
      '--cluster-enabled',
      'yes',
      '--cluster-config-file',
      file,
      '--cluster-port',
      String(busPort),
    ];
    return { ...(await startRedis(more)), busPort };
  };
  const [one, other] = [await start('one'), await start('other')];
  const admins = [new Redis(one.url), new Redis(other.url)] as const;
  await admins[0].call('CLUSTER', 'ADDSLOTSRANGE', 0, 8191);
  await admins[1].call('CLUSTER', 'ADDSLOTSRANGE', 8192, 16383);
  await admins[0].call('CLUSTER', 'MEET', '127.0.0.1', other.port, other.busPort);
  for (const admin of admins) {
    await expect
      .poll(() => admin.call('CLUSTER', 'INFO'), { timeout: 20_000 })
      .toMatch(/cluster_state:ok[^]*cluster_known_nodes:2/);
    admin.disconnect();
  }
  return {
    url: `redis+cluster://127.0.0.1:${one.port}`,
    masters: [one, other],
    async stop() {
      await one.stop();
      await other.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The id of its process. */
export const processOf = async (admin: Redis): Promise<number> =>
  Number(/^process_id:(\d+)/m.exec(await admin.info('server'))?.[1]);
