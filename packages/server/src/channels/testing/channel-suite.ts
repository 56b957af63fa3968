import { afterAll } from 'vitest';
import { ChannelClient } from '../../testing/channel-client.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestOptions, TestServer } from '../../testing/start-server.ts';
import { type SuiteServer, suiteServer } from '../../testing/suite-server.ts';
import type { StartOnStore } from './each-store.ts';

export interface ChannelSuite {
  readonly clock: FakeClock;
  readonly server: SuiteServer;
  readonly client: ChannelClient;
}

/** A server without rate limits for all tests of a suite, and a clock that they move. */
export function channelSuite(startOn: StartOnStore, options: TestOptions = {}): ChannelSuite {
  const clock = new FakeClock();
  let running: TestServer | undefined;
  const server = suiteServer(async () => {
    running = await startOn({ clock, rateLimits: false, ...options });
    return running;
  });
  afterAll(() => running?.close());
  return { clock, server, client: new ChannelClient(server) };
}
