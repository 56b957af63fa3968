import { SECRET_PREFIXES } from '@parley/protocol/secret-prefixes';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import type { AppContext, ContextOverrides } from '../context.ts';
import { createLog, type LogLevel } from '../platform/log.ts';
import { startParley } from '../server.ts';
import { freshTables } from './databases.ts';
import { startHaproxy } from './haproxy.ts';
import { clusterForTests, PROXY_ADDRESS, twoNodesWanted } from './two-nodes.ts';

/** A process that serves, or would be one: two nodes of a test are two servers in one process. */
export interface TestNode {
  readonly url: string;
  readonly context: AppContext;
}

export interface TestServer extends TestNode {
  /** Those that answer at `url`, this one or two. */
  readonly nodes: readonly TestNode[];
  /** Log lines so far, parsed. */
  readonly logs: readonly Record<string, unknown>[];
  /** Log lines so far, as written. */
  readonly rawLog: () => string;
  close(): Promise<void>;
}

export type TestOptions = Partial<Config> & ContextOverrides & { logLevel?: LogLevel };

/** Boots the real server on a temporary store and a free port. Anything of the configuration can be overridden. */
export async function startServer(options: TestOptions = {}): Promise<TestServer> {
  if (twoNodesWanted(options)) return await startTwoNodes(options);
  return await startOne(options);
}

/** `TEST_NODES=2`: two servers in this process on a PostgreSQL and a Redis, behind a HAProxy that gives requests to them in turn. */
async function startTwoNodes(options: TestOptions): Promise<TestServer> {
  const { program, redisUrl } = clusterForTests();
  const place = options.databaseUrl === undefined ? await freshTables() : undefined;
  const lines: string[] = [];
  const shared = {
    secretKey: '7'.repeat(64),
    redisUrl,
    ...(place && { databaseUrl: place.at.url }),
    ...options,
    trustedProxies: [...(options.trustedProxies ?? []), PROXY_ADDRESS],
    lines,
  };
  const first = await startOne(shared);
  const { dataDir: _own, ...elsewhere } = shared;
  const second = await startOne(elsewhere);
  const proxy = await startHaproxy(program, [first.url, second.url], {
    source: PROXY_ADDRESS,
    checks: false,
    // Tests of what is believed of a proxy play that proxy.
    front: '127.0.0.1',
  });
  return {
    url: proxy.url,
    context: first.context,
    nodes: [first, second],
    get logs() {
      return first.logs;
    },
    rawLog: first.rawLog,
    async close() {
      await Promise.all([first.close(), second.close()]);
      await proxy.stop();
      await place?.remove();
    },
  };
}

async function startOne({
  clock,
  random,
  log,
  resolve,
  freeBytes,
  redis,
  lines = [],
  ...overrides
}: TestOptions & { lines?: string[] }): Promise<TestServer> {
  const dataDir = overrides.dataDir ?? mkdtempSync(join(tmpdir(), 'parley-test-'));
  const { config } = loadConfig({ cwd: dataDir });
  const captured = createLog({
    secretPrefixes: SECRET_PREFIXES,
    level: overrides.logLevel ?? 'info',
    stream: { write: (line) => void lines.push(line) },
  });
  const server = await startParley(
    // As strangers are counted, so that limits can be tested.
    { ...config, port: 0, dataDir, rlLocalFactor: 1, ...overrides },
    {
      log: log ?? captured,
      ...(clock && { clock }),
      ...(random && { random }),
      ...(resolve && { resolve }),
      ...(freeBytes && { freeBytes }),
      ...(redis && { redis }),
    },
  );
  return {
    url: server.url,
    context: server.context,
    nodes: [server],
    get logs() {
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    rawLog: () => lines.join(''),
    async close() {
      await server.stop();
      if (overrides.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
