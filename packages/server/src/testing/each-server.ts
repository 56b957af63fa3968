import { afterAll } from 'vitest';
import type { Dialect } from '../platform/database/database.ts';
import { describeEachDialect, freshTables } from './databases.ts';
import { startServer, type TestOptions, type TestServer } from './start-server.ts';

/** A server of its own, stopped when the suite is over. */
export type StartServer = (options?: TestOptions) => Promise<TestServer>;

/** The same suite against the real server on SQLite and on PostgreSQL. */
export function describeEachServer(
  name: string,
  suite: (start: StartServer, dialect: Dialect) => void,
): void {
  describeEachDialect(name, (dialect) => {
    const cleanups: (() => Promise<void>)[] = [];
    afterAll(async () => {
      for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    });
    const start: StartServer = async (options = {}) => {
      const place =
        dialect === 'postgres' && options.databaseUrl === undefined ? await freshTables() : undefined;
      if (place) cleanups.push(() => place.remove());
      const server = await startServer({ ...(place && { databaseUrl: place.at.url }), ...options });
      cleanups.push(() => server.close());
      return server;
    };
    suite(start, dialect);
  });
}
