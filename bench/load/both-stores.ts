import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@parley/server/config/load';
import { createLog } from '@parley/server/platform/log';
import { startParley } from '@parley/server/server';
import { startPostgres } from '../../packages/server/src/testing/postgres.ts';

export type BenchServer = Awaited<ReturnType<typeof startParley>>;

export interface OnBothStores<Figures> {
  readonly measured: readonly { readonly store: 'SQLite' | 'PostgreSQL'; readonly figures: Figures }[];
  /** Why there are none of PostgreSQL, as rows of a result. */
  readonly missing: readonly { readonly label: string; readonly value: string }[];
}

/** The same on a server with SQLite and on one with PostgreSQL, each of which writes to the disk before it answers. */
export async function onBothStores<Figures>(
  measure: (server: BenchServer) => Promise<Figures>,
): Promise<OnBothStores<Figures>> {
  const sqlite = { store: 'SQLite', figures: await onServer(undefined, measure) } as const;
  const postgres = await startPostgres({ durable: true }).catch((error: Error) => error);
  if (postgres instanceof Error) {
    const missing = [{ label: 'PostgreSQL', value: `not measured: ${postgres.message}` }];
    return { measured: [sqlite], missing };
  }
  try {
    const figures = await onServer(postgres.url, measure);
    return { measured: [sqlite, { store: 'PostgreSQL', figures }], missing: [] };
  } finally {
    await postgres.stop();
  }
}

async function onServer<Figures>(
  databaseUrl: string | undefined,
  measure: (server: BenchServer) => Promise<Figures>,
): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const server = await startParley(
    { ...config, port: 0, dataDir, databaseUrl, rateLimits: false, budgetDocuments: 0 },
    { log },
  );
  try {
    return await measure(server);
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
