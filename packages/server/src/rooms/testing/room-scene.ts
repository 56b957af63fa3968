import { beforeAll } from 'vitest';
import type { StartServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestOptions, TestServer } from '../../testing/start-server.ts';
import { type SuiteServer, suiteServer } from '../../testing/suite-server.ts';
import { Records } from './records.ts';
import { RoomClient } from './room-client.ts';

/** When rooms are opened, unless a test needs another second. */
export const ROOMS_START = Date.UTC(2026, 5, 1, 9);

export interface RoomScene<Server = TestServer> {
  readonly clock: FakeClock;
  readonly server: Server;
  readonly client: RoomClient;
  /** What the server announces, from its start. */
  readonly records: Records;
}

/** A server for one test. */
export async function roomScene(
  start: StartServer,
  { clock = new FakeClock(ROOMS_START), ...options }: TestOptions & { clock?: FakeClock } = {},
): Promise<RoomScene> {
  const server = await start({ clock, rateLimits: false, ...options });
  return { clock, server, client: new RoomClient(server), records: new Records(server) };
}

/** A server for all tests of a suite. */
export function roomSuite(start: StartServer, options: TestOptions = {}): RoomScene<SuiteServer> {
  const clock = new FakeClock(ROOMS_START);
  const server = suiteServer(() => start({ clock, rateLimits: false, ...options }));
  const records = new Records();
  beforeAll(() => records.follow(server));
  return { clock, server, client: new RoomClient(server), records };
}
