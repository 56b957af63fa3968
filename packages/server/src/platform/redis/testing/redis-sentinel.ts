import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, inject } from 'vitest';
import { freePort } from '../../../testing/free-port.ts';
import { startRedis, type TestRedis } from '../../../testing/redis.ts';
import { certificate } from './redis-tls.ts';

export interface TestSentinel {
  /** Of the master `main`, or of one that it does not know. */
  url(master?: string): string;
  readonly master: TestRedis;
  stop(): Promise<void>;
}

/** A master, its replica, and one sentinel that looks after both; `tls`: all speak nothing else to each other. */
export async function startRedisSentinel({ tls = false } = {}): Promise<TestSentinel> {
  const found = inject('redis');
  if ('missing' in found) throw new Error(`Redis is not available: ${found.missing}`);
  const folder = mkdtempSync(join(tmpdir(), 'parley-sentinel-'));
  const secured = tls ? certificate(folder) : undefined;
  const secure = secured?.settings ?? [];
  const kept = ['dir', folder, 'repl-diskless-load', 'swapdb'];
  const start = async (...more: string[]): Promise<{ server: TestRedis; port: number }> => {
    const port = tls ? await freePort() : undefined;
    const options = [...kept, ...secure, ...(port === undefined ? [] : ['tls-port', String(port)]), ...more];
    const server = await startRedis(options.map((word, at) => (at % 2 === 0 ? `--${word}` : word)));
    return { server, port: port ?? server.port };
  };
  const master = await start();
  const replica = await start('replicaof', `127.0.0.1 ${master.port}`);
  const port = await freePort();
  const file = join(folder, 'sentinel.conf');
  const lines = [
    [tls ? 'tls-port' : 'port', port],
    ...(tls ? [['port', 0]] : []),
    ...pairs(secure),
    ['dir', folder],
    ['sentinel', `monitor main 127.0.0.1 ${master.port} 1`],
    ['sentinel', 'down-after-milliseconds main 500'],
    ['sentinel', 'failover-timeout main 2000'],
  ];
  writeFileSync(file, lines.map((words) => `${words.join(' ')}\n`).join(''));
  const child = spawn(found.program, [file, '--sentinel'], { stdio: 'ignore' });
  const query = secured ? `?ca=${secured.certificate}` : '';
  const sentinel: TestSentinel = {
    url: (name = 'main') => `redis${tls ? 's' : ''}+sentinel://127.0.0.1:${port}/${name}${query}`,
    master: master.server,
    async stop() {
      await end(child);
      await master.server.stop();
      await replica.server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await knowsReplica(port, tls);
  return sentinel;
}

const pairs = (words: readonly string[]): string[][] =>
  words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? '']] : []));

/** Before that it has nobody to take the place of a master. */
async function knowsReplica(port: number, tls: boolean): Promise<void> {
  const admin = new Redis({ port, ...(tls && { tls: { rejectUnauthorized: false } }) });
  admin.on('error', () => {});
  await expect
    .poll(() => admin.call('SENTINEL', 'REPLICAS', 'main').catch(() => []), { timeout: 20_000 })
    .toHaveLength(1);
  admin.disconnect();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
