import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOrInstall } from '../../packages/server/src/testing/debian.ts';
import { freePort } from '../../packages/server/src/testing/free-port.ts';
import { startHaproxy, type TestHaproxy } from '../../packages/server/src/testing/haproxy.ts';
import { startPostgres, type TestPostgres } from '../../packages/server/src/testing/postgres.ts';
import { runRedis, type TestRedis } from '../../packages/server/src/testing/redis-server.ts';
import { TcpGate } from '../../packages/server/src/testing/tcp-gate.ts';
import { ServerProcess } from './server.ts';

/** Three nodes on a PostgreSQL and a Redis, behind a HAProxy: real processes all. */
export class Nodes {
  readonly all: readonly ServerProcess[];
  readonly postgres: TestPostgres;
  readonly redis: TestRedis;
  /** The node whose way to PostgreSQL can be cut. */
  readonly gated: { readonly node: ServerProcess; readonly gate: TcpGate };
  readonly #haproxy: TestHaproxy;
  readonly #folder: string;

  private constructor(parts: {
    all: readonly ServerProcess[];
    postgres: TestPostgres;
    redis: TestRedis;
    gate: TcpGate;
    haproxy: TestHaproxy;
    folder: string;
  }) {
    this.all = parts.all;
    this.postgres = parts.postgres;
    this.redis = parts.redis;
    const node = parts.all.at(-1);
    if (!node) throw new Error('no node');
    this.gated = { node, gate: parts.gate };
    this.#haproxy = parts.haproxy;
    this.#folder = parts.folder;
  }

  static async start(count: number): Promise<Nodes> {
    const [redisServer, haproxyProgram] = [programOf('redis-server'), programOf('haproxy')];
    const folder = mkdtempSync(join(tmpdir(), 'parley-torture-'));
    const postgres = await startPostgres();
    const redis = await runRedis(redisServer);
    const env = {
      PARLEY_DATABASE_URL: postgres.url,
      PARLEY_REDIS_URL: redis.url,
      PARLEY_SECRET_KEY: '5'.repeat(64),
      PARLEY_TRUSTED_PROXIES: '127.0.0.1',
      PARLEY_STOP_DELAY_MS: '2000',
    };
    const way = new URL(postgres.url);
    const gate = new TcpGate(way.hostname, Number(way.port));
    way.port = String(await gate.open());
    const all: ServerProcess[] = [];
    for (let index = 0; index < count; index++) {
      const dataDir = join(folder, `node${index}`);
      const place = { port: await freePort(), dataDir, log: `${dataDir}.log` };
      const ofThis = index === count - 1 ? { ...env, PARLEY_DATABASE_URL: way.href } : env;
      all.push(new ServerProcess({ ...place, env: ofThis }));
    }
    // PostgreSQL ends by itself with this process.
    process.once('exit', () => {
      for (const node of all) node.signal('SIGKILL');
      void redis.kill();
    });
    // The first makes the tables, the others wait for it.
    await Promise.all(all.map((node) => node.start()));
    const haproxy = await startHaproxy(
      haproxyProgram,
      all.map(({ url }) => url),
    );
    process.once('exit', () => void haproxy.stop());
    return new Nodes({ all, postgres, redis, gate, haproxy, folder });
  }

  /** Where clients go. */
  get url(): string {
    return this.#haproxy.url;
  }

  async stop(): Promise<void> {
    await this.#haproxy.stop();
    await Promise.all(this.all.map((node) => (node.signal('SIGCONT'), node.end('SIGKILL'))));
    await this.gated.gate.close();
    await this.redis.stop();
    await this.postgres.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The program of a Debian package of the same name. */
function programOf(name: string): string {
  const found = findOrInstall(name, name);
  if ('missing' in found) throw new Error(`${name} is not available: ${found.missing}`);
  return found.program;
}
