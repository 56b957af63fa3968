import { beforeAll } from 'vitest';
import type { TestServer } from './start-server.ts';

/** What is known of a server before it runs. */
export type SuiteServer = Pick<TestServer, 'url' | 'context' | 'nodes' | 'logs' | 'rawLog'>;

/** A server for the whole suite that calls this. Clients of it can be made at once; it runs when the first test does. */
export function suiteServer(start: () => Promise<TestServer>): SuiteServer {
  let running: TestServer | undefined;
  const server = (): TestServer => {
    if (!running) throw new Error('the server of a suite runs only while its tests do');
    return running;
  };
  beforeAll(async () => {
    running = await start();
  });
  return {
    get url() {
      return server().url;
    },
    get context() {
      return server().context;
    },
    get nodes() {
      return server().nodes;
    },
    get logs() {
      return server().logs;
    },
    rawLog: () => server().rawLog(),
  };
}
