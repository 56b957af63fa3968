import type { TestProject } from 'vitest/node';
import { findOrInstall } from './debian.ts';
import { makeTables } from './databases.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the test PostgreSQL is and which of its databases has the tables, or why there is none. */
    postgres: { readonly url: string; readonly tables: string } | { readonly missing: string };
    /** The program of a Redis server, or why there is none. */
    redis: { readonly program: string } | { readonly missing: string };
  }
}

interface BuildScript {
  build: (options: { quiet: boolean }) => Promise<void>;
}

let started: TestPostgres | undefined;

/** Runs once before all suites: builds the workspace (shells and spawned programs use it), starts PostgreSQL. */
export async function setup(project: TestProject): Promise<void> {
  if (process.env.TEST_SKIP_BUILD !== '1') await buildWorkspace();
  project.provide('postgres', await findPostgres());
  const redis = findOrInstall('redis-server', 'redis-server');
  if ('missing' in redis) process.stderr.write(`Suites with Redis are not run: ${redis.missing}\n`);
  project.provide('redis', redis);
}

async function buildWorkspace(): Promise<void> {
  const script = (await import(
    new URL('../../../../scripts/build.mjs', import.meta.url).href
  )) as BuildScript;
  try {
    await script.build({ quiet: true });
  } catch (error) {
    throw new Error('the workspace does not build (TEST_SKIP_BUILD=1 runs tests on what is built already)', {
      cause: error,
    });
  }
}

export async function teardown(): Promise<void> {
  await started?.stop();
}

async function findPostgres(): Promise<{ url: string; tables: string } | { missing: string }> {
  try {
    const given = process.env.TEST_POSTGRES_URL;
    if (!given) started = await startPostgres();
    const url = given ?? started?.url ?? '';
    return { url, tables: await makeTables(url) };
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    process.stderr.write(`PostgreSQL suites are not run: ${missing}\n`);
    return { missing };
  }
}
