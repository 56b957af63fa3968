import type { TestProject } from 'vitest/node';
import { findOrInstall } from './debian.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { runRedis, type TestRedis } from './redis-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the test PostgreSQL is and which of its databases has the tables, or why there is none. */
    postgres: { readonly url: string; readonly tables: string } | { readonly missing: string };
    /** The program of a Redis server, or why there is none. */
    redis: { readonly program: string } | { readonly missing: string };
    /** The program of HAProxy, or why there is none. */
    haproxy: { readonly program: string } | { readonly missing: string };
    /** The program of PgBouncer, or why there is none. */
    pgbouncer: { readonly program: string } | { readonly missing: string };
    /** The program of ShellCheck, or why there is none. */
    shellcheck: { readonly program: string } | { readonly missing: string };
    /** A Redis that runs, where every server of the tests is two nodes. */
    sharedRedis: string | undefined;
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
  const haproxy = findOrInstall('haproxy', 'haproxy');
  if ('missing' in haproxy) process.stderr.write(`Suites with HAProxy are not run: ${haproxy.missing}\n`);
  project.provide('haproxy', haproxy);
  const pgbouncer = findOrInstall('pgbouncer', 'pgbouncer');
  if ('missing' in pgbouncer)
    process.stderr.write(`Suites with PgBouncer are not run: ${pgbouncer.missing}\n`);
  project.provide('pgbouncer', pgbouncer);
  const shellcheck = findOrInstall('shellcheck', 'shellcheck');
  if ('missing' in shellcheck)
    process.stderr.write(`Scripts are not linted with ShellCheck: ${shellcheck.missing}\n`);
  project.provide('shellcheck', shellcheck);
  project.provide('sharedRedis', await sharedRedis(redis));
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

let redisOfNodes: TestRedis | undefined;

async function sharedRedis(
  found: { readonly program: string } | { readonly missing: string },
): Promise<string | undefined> {
  if (process.env.TEST_NODES !== '2' || 'missing' in found) return undefined;
  redisOfNodes = await runRedis(found.program);
  return redisOfNodes.url;
}

export async function teardown(): Promise<void> {
  await redisOfNodes?.stop();
  await started?.stop();
}

async function findPostgres(): Promise<{ url: string; tables: string } | { missing: string }> {
  const found = await runningPostgres();
  if ('missing' in found) {
    process.stderr.write(`PostgreSQL suites are not run: ${found.missing}\n`);
    return found;
  }
  // Not before the build: the tables need what other packages hold. Where there is a PostgreSQL, a failure is ours.
  const { makeTables } = await import('./databases.ts');
  return { url: found.url, tables: await makeTables(found.url) };
}

async function runningPostgres(): Promise<{ url: string } | { missing: string }> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) return { url: given };
  try {
    started = await startPostgres();
    return { url: started.url };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}
