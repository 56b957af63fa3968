import type { WebhookAnswer } from '@parley/protocol/rooms/types';
import { afterAll, expect } from 'vitest';
import { sql } from '../../../platform/database/sql.ts';
import { systemRandom } from '../../../platform/ids.ts';
import type { StartServer } from '../../../testing/each-server.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import type { TestServer } from '../../../testing/start-server.ts';
import { step, type Timed } from '../../testing/pass-time.ts';
import { must, type RoomAgent, RoomClient } from '../../testing/room-client.ts';
import { HookSink } from './hook-sink.ts';

export const START = Date.UTC(2026, 5, 1, 9);
export const SECRET = 'hook-secret-1';

export interface JobRow {
  attempts: number;
  due_at: number;
  dead_at: number | null;
  leased_by: string | null;
  last_error: string | null;
}

export const hook = async (agent: RoomAgent, url: string, more: object = {}): Promise<WebhookAnswer> =>
  must(201, await agent.call('POST', '/v1/agent/webhooks', { body: { url, secret: SECRET, ...more } }));

export const jobs = (server: TestServer): Promise<JobRow[]> =>
  server.context.database.read.all<JobRow>(sql`
    SELECT attempts, due_at, dead_at, leased_by, last_error FROM jobs WHERE kind = 'room-webhook' ORDER BY id`);

/** Waits until the attempt under way is recorded. */
export const settled = (server: TestServer, attempts: number): Promise<void> =>
  expect.poll(async () => (await jobs(server))[0]).toMatchObject({ attempts, leased_by: null });

/** Lets the clock run until something is so. It stands while an attempt is under way, so that none runs out of time. */
export async function passBetweenAttempts(
  timed: Timed,
  limitMs: number,
  condition: () => boolean,
): Promise<void> {
  const { clock, server } = timed;
  const start = clock.now();
  const quiet = async (): Promise<boolean> => {
    const { read } = server.context.database;
    const held = await read.get<{ n: number }>(
      sql`SELECT count(*) AS n FROM jobs WHERE leased_by IS NOT NULL`,
    );
    return condition() || held?.n === 0;
  };
  while (!condition() && clock.now() - start < limitMs) {
    await expect.poll(quiet).toBe(true);
    await step(timed, 1_000, condition);
  }
  await expect.poll(condition).toBe(true);
}

/** Waits until so many attempts are counted. */
export const counted = (client: RoomClient, name: string, count: number): Promise<void> =>
  expect.poll(() => outcome(client, name)).toBe(count);

export const outcome = (client: RoomClient, name: string): Promise<number> =>
  client.metric(`parley_room_webhook_attempts_total{outcome="${name}"}`);

interface HookScene {
  readonly clock: FakeClock;
  readonly server: TestServer;
  readonly sink: HookSink;
  readonly client: RoomClient;
}

/** Makes servers that may call a sink of their own. To be called in a suite: the sinks are closed after it. */
export function hookScenes(start: StartServer): (options?: object) => Promise<HookScene> {
  const sinks: HookSink[] = [];
  afterAll(async () => {
    for (const sink of sinks) await sink.close();
  });

  return async (options = {}) => {
    const sink = await HookSink.open();
    sinks.push(sink);
    const clock = new FakeClock(START);
    const server = await start({
      clock,
      rateLimits: false,
      callbackAllow: [sink.host],
      // Without jitter the schedule can be told exactly.
      random: { ...systemRandom, unit: () => 0 },
      ...options,
    });
    return { clock, server, sink, client: new RoomClient(server) };
  };
}
