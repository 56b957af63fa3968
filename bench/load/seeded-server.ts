import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '@parley/server/config/load';
import { createLog } from '@parley/server/platform/log';
import { startParley } from '@parley/server/server';
import { startPostgres } from '../../packages/server/src/testing/postgres.ts';
import type { BenchServer } from './both-stores.ts';
import { type Seeded, type SeedSizes, seed } from './fill/console-seed.ts';

const flag = (name: string): string | undefined =>
  process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);

const given = (name: string, usual: number): number => Number(flag(name) ?? Math.ceil(usual));

/** What `--agents= --messages= --capsules= --owners=` say; without them, the size that is promised, or a share of it. */
export function sizes(): SeedSizes {
  const share = Number(process.env.BENCH_SEED_SHARE ?? 1);
  return {
    agents: given('agents', 100_000 * share),
    messages: given('messages', 1_000_000 * share),
    capsules: given('capsules', 100_000 * share),
    owners: given('owners', 100),
  };
}

/** The folder that `--data-dir=` names is kept, and used as it is once it has been filled. */
export async function onSeededFile<Figures>(
  measure: (server: BenchServer, seeded: Seeded) => Promise<Figures>,
): Promise<Figures> {
  const kept = flag('data-dir');
  const dataDir = kept === undefined ? mkdtempSync(join(tmpdir(), 'parley-seed-')) : resolve(kept);
  try {
    return await serve(dataDir, undefined, measure);
  } finally {
    if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The same on a PostgreSQL of its own, or on the one `--database-url=` names with the folder that is kept. */
export async function onSeededPostgres<Figures>(
  measure: (server: BenchServer, seeded: Seeded) => Promise<Figures>,
): Promise<Figures> {
  const url = flag('database-url');
  if (url !== undefined) return await serve(resolve(flag('data-dir') ?? '.'), url, measure);
  const postgres = await startPostgres();
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-seed-'));
  try {
    return await serve(dataDir, postgres.url, measure);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
    await postgres.stop();
  }
}

async function serve<Figures>(
  dataDir: string,
  databaseUrl: string | undefined,
  measure: (server: BenchServer, seeded: Seeded) => Promise<Figures>,
): Promise<Figures> {
  mkdirSync(dataDir, { recursive: true });
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const server = await startParley(
    { ...config, port: 0, dataDir, databaseUrl, rateLimits: false, budgetAgents: 0 },
    { log },
  );
  try {
    return await measure(server, await seed(server, dataDir, sizes()));
  } finally {
    await server.stop();
  }
}
