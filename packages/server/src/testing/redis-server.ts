import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { untilAnswers } from './started-program.ts';

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** As if the machine it runs on had gone. */
  kill(): Promise<void>;
  /** Where it was, and empty. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A real redis-server of its own on a free loopback port, which keeps nothing on disk. Where a test has it write after all, as one with
 * a replica does, that goes to a folder of its own, and no other finds it there.
 */
export async function runRedis(program: string, more: readonly string[] = []): Promise<TestRedis> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'parley-redis-'));
  const start = async (): Promise<ChildProcess> => {
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const options = [...place, '--save', '', '--appendonly', 'no', ...more];
    const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'] });
    await untilAnswers('redis-server', child, () => answers(port));
    return child;
  };
  let running = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill: () => end('SIGKILL'),
    async startAgain() {
      rmSync(join(folder, 'dump.rdb'), { force: true });
      running = await start();
    },
    async stop() {
      await end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const probe = new Redis({ port, lazyConnect: true, retryStrategy: () => null });
  probe.on('error', () => {});
  try {
    await probe.connect();
    await probe.ping();
    return true;
  } catch {
    return false;
  } finally {
    probe.disconnect();
  }
}
